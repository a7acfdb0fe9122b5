package stackweave.agent.drain.limit;

import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * Limits the CPU time of the drain thread to its share of a core and keeps the engine's rings from
 * overflowing: when needed, one random sample in a group of k is decoded, with k times its weight,
 * so expected weights stay true. Used by the pipeline; for the drain thread only.
 *
 * <p>CPU time is an account: credited the share of the time that passes, debited the time used.
 * While it is overdrawn, or a ring stays half full, k doubles, up to {@link #MAX}; with credit
 * again it halves. If decoding isn't what costs, k stays.
 */
public final class Throttle {
  /** Largest group; beyond it decoding samples can't be what costs. */
  static final int MAX = 1024;

  /** Initial credit: the first samples meet empty caches and code that is not compiled yet. */
  static final long START_NANOS = 2_000_000_000L;

  /** Wall-clock time whose share may be saved up. */
  static final long CEILING_NANOS = 1_000_000_000L;

  /** Wall-clock time whose share may be owed, which bounds how long repayment takes. */
  static final long FLOOR_NANOS = 10_000_000_000L;

  /** Shortest time between two readings of the CPU clock, which costs a system call. */
  static final long READING_NANOS = 10_000_000L;

  /** How long to wait for the effect of a larger group. */
  static final long DOWN_NANOS = 50_000_000L;

  /** Shortest time before a smaller group. */
  static final long UP_NANOS = 500_000_000L;

  /** As {@link #UP_NANOS}, if the rings were the reason. */
  static final long CAUGHT_UP_NANOS = 100_000_000L;

  /** As {@link #DOWN_NANOS}, if the rings are the reason: half of the ring is left by then. */
  static final long BEHIND_NANOS = 25_000_000L;

  /** Share of a ring that may wait to be drained. */
  static final double MAX_BACKLOG = 0.5;

  private final int percent;
  private final LongSupplier cpuClock;
  private final LongSupplier clock;

  /** Null once the engine has ended. */
  private DoubleSupplier backlog;

  private final SplittableRandom random;

  private long credit = START_NANOS;
  private long accountedAt;
  private long accountedCpu;
  private long steppedAt;
  private long steppedCpu;

  /** Wall-clock time in which samples were decoded, since the last step. */
  private long decodingNanos;

  private int oneIn = 1;
  private int group = 1;
  private int left;
  private int pick;
  private boolean wasBehind;
  private boolean behind;

  /**
   * Starts a new account with {@link #START_NANOS}.
   *
   * @param percent of a core, 1 to 100
   * @param cpuClock CPU time of this thread, in ns
   * @param clock as {@link System#nanoTime}
   * @param backlog how much of the engine's fullest ring waits to be drained, 0 to 1
   */
  public Throttle(
      int percent,
      LongSupplier cpuClock,
      LongSupplier clock,
      DoubleSupplier backlog,
      SplittableRandom random) {
    this.percent = percent;
    this.cpuClock = cpuClock;
    this.clock = clock;
    this.backlog = backlog;
    this.random = random;
    accountedAt = clock.getAsLong();
    accountedCpu = cpuClock.getAsLong();
    steppedAt = accountedAt;
    steppedCpu = accountedCpu;
  }

  /** Continues the account with the next engine on the same thread. */
  public void goOnWith(DoubleSupplier nextBacklog) {
    backlog = nextBacklog;
    wasBehind = false;
    left = 0;
    group = 1;
    begin(clock.getAsLong(), cpuClock.getAsLong());
  }

  /** Releases the engine, which has ended; the account remains for the next one. */
  public void end() {
    backlog = null;
  }

  /** Whether the next sample is decoded; must be called exactly once per sample. */
  public boolean keeps() {
    if (left == 0) {
      group = oneIn;
      left = group;
      pick = group == 1 ? 0 : random.nextInt(group);
    }
    return --left == pick;
  }

  /** How many samples the last kept one stands for. */
  public int group() {
    return group;
  }

  /** The present group size; 1 means that all samples are kept. */
  int oneIn() {
    return oneIn;
  }

  /** Updates the account after decoding a sample, which took {@code nanos} of wall-clock time. */
  public void decoded(long nanos) {
    decodingNanos += nanos;
    settle();
  }

  /**
   * Updates the account; call it after each batch. Reads the clock, and every {@link
   * #READING_NANOS} the CPU clock.
   */
  public void settle() {
    long now = clock.getAsLong();
    long passed = now - accountedAt;
    if (passed < READING_NANOS) {
      return;
    }
    long cpu = cpuClock.getAsLong();
    long ceiling = share(CEILING_NANOS);
    if (credit < ceiling) {
      credit = Math.min(ceiling, credit + share(passed));
    }
    credit = Math.max(credit - (cpu - accountedCpu), -share(FLOOR_NANOS));
    accountedAt = now;
    accountedCpu = cpu;
    adapt(now, cpu, ceiling);
  }

  private void adapt(long now, long cpu, long ceiling) {
    boolean before = wasBehind;
    wasBehind = backlog.getAsDouble() > MAX_BACKLOG;
    long passed = now - steppedAt;
    if (wasBehind && before && oneIn < MAX) {
      if (passed >= BEHIND_NANOS) {
        if (decodingNanos > passed / 2) {
          oneIn *= 2;
          behind = true;
        }
        begin(now, cpu);
      }
      return;
    }
    if (credit < 0) {
      behind = false;
      if (passed < DOWN_NANOS) {
        return;
      }
      // Debt is also repaid by using less than the share.
      boolean over = cpu - steppedCpu > share(passed) && decodingNanos > share(passed) / 2;
      if (over && oneIn < MAX) {
        oneIn *= 2;
      }
      begin(now, cpu);
    } else if (oneIn > 1
        && credit >= ceiling / 2
        && passed >= (behind ? CAUGHT_UP_NANOS : UP_NANOS)) {
      oneIn /= 2;
      begin(now, cpu);
    }
  }

  private void begin(long now, long cpu) {
    steppedAt = now;
    steppedCpu = cpu;
    decodingNanos = 0;
  }

  private long share(long nanos) {
    return nanos / 100 * percent;
  }

  /** A note for the user; empty while all samples are kept. */
  public String note() {
    return oneIn == 1
        ? ""
        : (behind
                ? "drain thread gets too little CPU time"
                : "drain thread at its limit of " + percent + " % of a core (option drain=)")
            + ": keeps one sample in "
            + oneIn
            + ", which stands for all of them";
  }
}
