package stackweave.jfr.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import stackweave.jfr.event.NativeSample;

/**
 * Gives samples the time of their interrupt.
 *
 * <p>JFR stamps events with its own ticks (the time stamp counter, or nanoseconds) when they are
 * committed. It keeps start and duration in private fields that it adds to every event class, on
 * JDK 17 and 25 alike; a lookup in our own event class reaches them. Ticks are read by beginning an
 * event, next to System.nanoTime; from two such anchors follows the rate. Where the fields are not
 * to be had, {@link NativeSample#age} says how far the start time is off.
 *
 * <p>Not thread-safe: belongs to the drain thread.
 */
final class SampleClock {
  /** An event without duration would get "now − start" as its duration. */
  private static final long MIN_DURATION_TICKS = 1;

  /** How often the anchor is renewed: nanoTime is slewed by NTP, by at most 0.5 ms a second. */
  private static final long ANCHOR_NANOS = 500_000_000L;

  /** The shortest distance of two anchors: an anchor is good to about 0.1 µs. */
  private static final long FIRST_RATE_NANOS = 2_000_000L;

  private static final int ANCHOR_TRIES = 8;
  private static final long GOOD_ANCHOR_NANOS = 500L;

  private static final VarHandle START = field("startTime");
  private static final VarHandle DURATION = field("duration");

  private boolean calibrated;
  private long firstNanos;
  private long firstTicks;
  private long anchorNanos;
  private long anchorTicks;
  private double ticksPerNano;

  private static VarHandle field(String name) {
    try {
      return MethodHandles.privateLookupIn(NativeSample.class, MethodHandles.lookup())
          .findVarHandle(NativeSample.class, name, long.class);
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  /** Compares the clocks again if it is time to; to be called before each {@link #stamp}. */
  void refresh() {
    if (START == null || DURATION == null) {
      return;
    }
    if (!calibrated) {
      calibrated = calibrate();
    } else if (System.nanoTime() - anchorNanos > ANCHOR_NANOS) {
      renewAnchor();
    }
  }

  /** Sets when {@code event} happened, on the clock of System.nanoTime. */
  void stamp(NativeSample event, long timeNanos) {
    if (!calibrated) {
      event.age = System.nanoTime() - timeNanos;
      return;
    }
    START.set(event, anchorTicks + Math.round((timeNanos - anchorNanos) * ticksPerNano));
    DURATION.set(event, MIN_DURATION_TICKS);
  }

  /** Takes two anchors; false while JFR does not stamp events. */
  private boolean calibrate() {
    if (!anchor()) {
      return false;
    }
    firstNanos = anchorNanos;
    firstTicks = anchorTicks;
    while (System.nanoTime() - firstNanos < FIRST_RATE_NANOS) {
      Thread.onSpinWait();
    }
    return renewAnchor();
  }

  private boolean renewAnchor() {
    if (!anchor()) {
      return false;
    }
    ticksPerNano = (double) (anchorTicks - firstTicks) / (anchorNanos - firstNanos);
    return true;
  }

  /** Reads both clocks as close together as a few tries allow. */
  private boolean anchor() {
    long best = Long.MAX_VALUE;
    for (int i = 0; i < ANCHOR_TRIES && best > GOOD_ANCHOR_NANOS; i++) {
      NativeSample probe = new NativeSample();
      long before = System.nanoTime();
      probe.begin();
      long after = System.nanoTime();
      long ticks = (long) START.get(probe);
      if (ticks == 0) {
        return false;
      }
      if (after - before < best) {
        best = after - before;
        anchorNanos = before + (after - before) / 2;
        anchorTicks = ticks;
      }
    }
    return true;
  }
}
