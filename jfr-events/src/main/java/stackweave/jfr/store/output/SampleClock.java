package stackweave.jfr.store.output;

import java.lang.invoke.VarHandle;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.event.StackEvent;
import stackweave.jfr.event.StackSample;
import stackweave.jfr.event.TickClock;

/**
 * Gives sample events the time of their interrupt. If JFR's fields can't be set, the sample's age
 * has the difference. For the drain thread only.
 */
final class SampleClock extends TickClock {
  /** The fields by the kind of the sample. */
  private static final VarHandle[] STARTS = fields("startTime");

  private static final VarHandle[] DURATIONS = fields("duration");

  /** The fields of the most frequent event as constants, which takes a third of the time. */
  private static final VarHandle START = STARTS[SampleRecord.Kind.CPU.ordinal()];

  private static final VarHandle DURATION = DURATIONS[SampleRecord.Kind.CPU.ordinal()];

  private static VarHandle[] fields(String name) {
    SampleRecord.Kind[] kinds = SampleRecord.Kind.values();
    VarHandle[] fields = new VarHandle[kinds.length];
    for (int i = 0; i < kinds.length; i++) {
      fields[i] = field(StoreEvents.of(kinds[i]), name);
    }
    return fields;
  }

  @Override
  protected long ticksNow() {
    if (START == null || DURATION == null) {
      return 0;
    }
    StackSample probe = new StackSample();
    probe.begin();
    return start(probe);
  }

  /**
   * Sets the time of an event that is committed later; {@link #refresh} must be called before.
   *
   * @return how long before its start time the sample was taken, in nanoseconds: 0 where that could
   *     be set
   */
  long stamp(StackEvent event, SampleRecord sample) {
    if (!isCalibrated()) {
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
    if (event instanceof StackSample often) {
      START.set(often, start);
      DURATION.set(often, duration);
    } else {
      STARTS[kind].set(event, start);
      DURATIONS[kind].set(event, duration);
    }
    return 0;
  }

  /** The time of a stamped event by JFR's clock; 0 if it is not known. */
  long ticks(StackSample event) {
    return isCalibrated() ? start(event) : 0;
  }

  private static long start(StackSample event) {
    return (long) START.get(event);
  }
}
