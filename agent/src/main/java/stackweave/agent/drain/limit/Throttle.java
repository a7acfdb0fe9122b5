package stackweave.agent.drain.limit;

import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * Keeps the drain thread within its share of a core, and the engine's rings from running over:
 * where it would use more, or comes too late, of so many samples one is decoded, and stands for all
 * of them.
 *
 * <p>The account: it is credited its share of the time that passes, up to {@link #CEILING_NANOS} of
 * it, and debited the thread's CPU time. It begins with {@link #START_NANOS} of CPU time, since the
 * first samples find nothing cached and the drain's own code not compiled. When it is overdrawn,
 * one sample in two is kept, then one in four, up to one in {@link #MAX}, as long as more is used
 * than comes in; when there is credit again, it goes back in steps.
 *
 * <p>The rings: what finds no room there is lost without a choice, and most of it where most is
 * going on. So fewer are kept as soon as a ring stays half full.
 *
 * <p>Where it is not the decoding of samples that takes the time (thousands of libraries are
 * loaded, say), nothing would be gained, and none are passed over.
 *
 * <p>What is kept: samples are counted off in groups, whatever their threads, and one of each group
 * is kept, at random. So each sample has the same chance of 1 in k, and k times its weight is true
 * on the average for every thread and every frame. A group is finished before the next, of another
 * size, is begun.
 *
 * <p>For the drain thread only.
 */
public final class Throttle {
  /** Beyond one in so many it is not the samples that cost. */
  static final int MAX = 1024;

  /** CPU time to begin with. */
  static final long START_NANOS = 2_000_000_000L;

  /** Time that may be saved up, in ns of its share. */
  static final long CEILING_NANOS = 1_000_000_000L;

  /** Time that may be owed, in ns of its share: how long it takes until it is paid at most. */
  static final long FLOOR_NANOS = 10_000_000_000L;

  /** The clock of CPU time costs a system call: not to be read more often than this. */
  static final long READING_NANOS = 10_000_000L;

  /** How long the effect of a step down is waited for. */
  static final long DOWN_NANOS = 50_000_000L;

  /** How long each step back lasts at least. */
  static final long UP_NANOS = 500_000_000L;

  /** The same where rings were full. */
  static final long CAUGHT_UP_NANOS = 100_000_000L;

  /** The same for a step down because of the rings, of which half is left by then. */
  static final long BEHIND_NANOS = 25_000_000L;

  /** So much of a ring may wait. */
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
   * One that begins with {@link #START_NANOS}.
   *
   * @param percent of a core, from 1 to 100
   * @param cpuClock CPU time of this thread, in ns
   * @param clock as {@link System#nanoTime}
   * @param backlog how much of the engine's fullest ring waits to be drained, from 0 to 1
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

  /**
   * Goes on with the account of another one, for the next engine on the same thread: with what is
   * left there, and what was used and came in since.
   */
  public Throttle(Throttle before, DoubleSupplier backlog) {
    this.percent = before.percent;
    this.cpuClock = before.cpuClock;
    this.clock = before.clock;
    this.backlog = backlog;
    this.random = before.random;
    credit = before.credit;
    accountedAt = before.accountedAt;
    accountedCpu = before.accountedCpu;
    oneIn = before.oneIn;
    behind = before.behind;
    steppedAt = clock.getAsLong();
    steppedCpu = cpuClock.getAsLong();
  }

  /** The engine has ended: what is left is the account, which must not hold the engine. */
  public void end() {
    backlog = null;
  }

  /** Whether the next sample is kept; asked once for each of them. */
  public boolean keeps() {
    if (left == 0) {
      group = oneIn;
      left = group;
      pick = group == 1 ? 0 : random.nextInt(group);
    }
    return --left == pick;
  }

  /** So many samples the one kept last stands for. */
  public int group() {
    return group;
  }

  /** Of so many samples one is kept now; 1: all. */
  int oneIn() {
    return oneIn;
  }

  /** Settles the account after a sample that took so long to decode. */
  public void decoded(long nanos) {
    decodingNanos += nanos;
    settle();
  }

  /**
   * Settles the account; to be called after each batch. Costs a look at the clock, and a system
   * call every {@link #READING_NANOS}.
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
      // What is owed is also paid back by using less than comes in.
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

  /** What the user should know; "" while all samples are kept. */
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
