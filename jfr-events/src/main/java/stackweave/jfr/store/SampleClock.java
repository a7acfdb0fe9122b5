package stackweave.jfr.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.event.StackEvent;
import stackweave.jfr.event.StackSample;

/**
 * Gives sample events the time of their interrupt. JFR stamps events with its own ticks when they
 * are committed, in private fields that it adds to every event class (JDK 17 and 25), which a
 * lookup in an event class of Stackweave can set. The ticks' rate follows from pairs of
 * simultaneous readings of both clocks; ticks are read by beginning an event. Without access to the
 * fields, the sample's age has the difference. For the drain thread only.
 */
final class SampleClock {
  /** An event without duration would get "now − start" as its duration. */
  private static final long MIN_DURATION_TICKS = 1;

  /** How often the clocks are compared: NTP adjusts nanoTime by at most 0.5 ms per second. */
  private static final long ANCHOR_NANOS = 500_000_000L;

  /** The shortest time between two comparisons; each is precise to about 0.1 µs. */
  private static final long FIRST_RATE_NANOS = 2_000_000L;

  private static final int ANCHOR_TRIES = 8;
  private static final long GOOD_ANCHOR_NANOS = 500L;

  /** The fields by the kind of the sample; null where JFR lets nobody set them. */
  private static final VarHandle[] STARTS = fields("startTime");

  private static final VarHandle[] DURATIONS = fields("duration");

  private boolean calibrated;
  private long firstNanos;
  private long firstTicks;
  private long anchorNanos;
  private long anchorTicks;
  private double ticksPerNano;

  private static VarHandle[] fields(String name) {
    SampleRecord.Kind[] kinds = SampleRecord.Kind.values();
    VarHandle[] fields = new VarHandle[kinds.length];
    try {
      for (int i = 0; i < kinds.length; i++) {
        Class<?> event = kinds[i].event();
        fields[i] =
            MethodHandles.privateLookupIn(event, MethodHandles.lookup())
                .findVarHandle(event, name, long.class);
      }
      return fields;
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  /**
   * Compares the clocks if it is time to; call it before each {@link #stamp}.
   *
   * @param timeNanos when the sample was taken, on the clock of System.nanoTime
   */
  void refresh(long timeNanos) {
    if (STARTS == null || DURATIONS == null) {
      return;
    }
    if (!calibrated) {
      calibrated = calibrate();
    } else if (timeNanos - anchorNanos > ANCHOR_NANOS) {
      renewAnchor();
    }
  }

  /** Whether events can be given a time, and so a duration. */
  boolean isCalibrated() {
    return calibrated;
  }

  /**
   * Sets the time of an event that is committed later.
   *
   * @return how long before its start time the sample was taken, in nanoseconds: 0 where that could
   *     be set
   */
  long stamp(StackEvent event, SampleRecord sample) {
    if (!calibrated) {
      event.begin();
      event.end();
      return System.nanoTime() - sample.timeNanos;
    }
    int kind = sample.kind.ordinal();
    long start = ticks(sample.timeNanos);
    long duration = MIN_DURATION_TICKS;
    if (sample.kind.hasDuration()) {
      duration = Math.max(duration, ticks(sample.timeNanos + sample.weight) - start);
    }
    STARTS[kind].set(event, start);
    DURATIONS[kind].set(event, duration);
    return 0;
  }

  /** The time of an event by JFR's clock, of one that was stamped; 0 where it is not known. */
  long ticks(StackSample event) {
    return calibrated ? start(event) : 0;
  }

  private static long start(StackSample event) {
    return (long) STARTS[SampleRecord.Kind.CPU.ordinal()].get(event);
  }

  private long ticks(long timeNanos) {
    return anchorTicks + (long) ((timeNanos - anchorNanos) * ticksPerNano);
  }

  /** Compares the clocks twice; false while JFR does not stamp events. */
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
      StackSample probe = new StackSample();
      long before = System.nanoTime();
      probe.begin();
      long after = System.nanoTime();
      long ticks = start(probe);
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
