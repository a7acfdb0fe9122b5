package stackweave.jfr.call;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Gives an event the start and the duration of a call that is over. JFR counts in ticks of its own,
 * in private fields that it adds to event classes (JDK 17 to 27); the ticks' rate follows from two
 * pairs of simultaneous readings of both clocks. Thread-safe: the pairs are immutable, and of two
 * threads that renew them at once either is right.
 */
final class CallClock {
  /** The shortest time between two pairs, each precise to about a microsecond. */
  private static final long MIN_RATE_NANOS = 5_000_000L;

  /** Pairs that are further apart need not be renewed. */
  private static final long GOOD_RATE_NANOS = 2_000_000_000L;

  private static final int TRIES = 4;

  /** What JFR takes for no duration, it replaces by the time since the start. */
  private static final long MIN_TICKS = 1;

  private static final VarHandle START = field("startTime");
  private static final VarHandle DURATION = field("duration");

  private record Anchor(long nanos, long ticks) {}

  /**
   * The rate of the ticks.
   *
   * @param nanos between the pairs that it is from
   */
  private record Rate(double ticksPerNano, long nanos) {
    private boolean isOutdated(long age) {
      return nanos < GOOD_RATE_NANOS && age > 4 * nanos;
    }
  }

  private volatile Anchor first;
  private volatile Rate rate;

  private static VarHandle field(String name) {
    try {
      return MethodHandles.privateLookupIn(NativeCall.class, MethodHandles.lookup())
          .findVarHandle(NativeCall.class, name, long.class);
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  /** Reads both clocks for the first time, if JFR stamps events already. */
  void begin() {
    if (first == null && START != null && DURATION != null) {
      first = anchor();
    }
  }

  /**
   * Sets start and duration.
   *
   * @param beginNanos when the call began, on the clock of System.nanoTime
   * @param endNanos when it ended
   * @return false if that is not possible: JFR does not stamp events now, or has other fields
   */
  boolean stamp(NativeCall event, long beginNanos, long endNanos) {
    begin();
    Anchor from = first;
    if (from == null) {
      return false;
    }
    event.begin();
    long now = System.nanoTime();
    long ticks = (long) START.get(event);
    if (ticks == 0) {
      return false;
    }
    Rate used = rate;
    if (used == null || used.isOutdated(now - from.nanos)) {
      used = newRate(from);
      if (used == null) {
        return false;
      }
    }
    START.set(event, ticks - Math.round((now - beginNanos) * used.ticksPerNano));
    long duration = Math.round((endNanos - beginNanos) * used.ticksPerNano);
    DURATION.set(event, Math.max(MIN_TICKS, duration));
    return true;
  }

  private Rate newRate(Anchor from) {
    while (System.nanoTime() - from.nanos < MIN_RATE_NANOS) {
      Thread.onSpinWait(); // only in the first calls after the event was registered
    }
    Anchor to = anchor();
    if (to == null) {
      return null;
    }
    long nanos = to.nanos - from.nanos;
    Rate made = new Rate((double) (to.ticks - from.ticks) / nanos, nanos);
    rate = made;
    return made;
  }

  /** Reads both clocks as close together as a few tries allow; null if JFR stamps no events. */
  private static Anchor anchor() {
    Anchor best = null;
    long least = Long.MAX_VALUE;
    for (int i = 0; i < TRIES; i++) {
      NativeCall probe = new NativeCall();
      long before = System.nanoTime();
      probe.begin();
      long after = System.nanoTime();
      long ticks = (long) START.get(probe);
      if (ticks == 0) {
        return null;
      }
      if (after - before < least) {
        least = after - before;
        best = new Anchor(before + (after - before) / 2, ticks);
      }
    }
    return best;
  }
}
