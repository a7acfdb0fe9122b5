package stackweave.jfr.control;

import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import stackweave.jfr.event.Blocked;
import stackweave.jfr.event.NativeAllocation;
import stackweave.jfr.event.NativeMemory;
import stackweave.jfr.event.NativeSample;
import stackweave.jfr.event.WallSample;

/**
 * JFR's ids of the events whose settings ask for samples: settings may name an event by its id.
 * Immutable.
 *
 * @param nativeSample of {@code stackweave.NativeSample}
 * @param wallSample of {@code stackweave.WallSample}
 * @param blocked of {@code stackweave.Blocked}
 * @param memory of {@code stackweave.NativeMemory}
 * @param allocation of {@code stackweave.NativeAllocation}
 */
record EventIds(long nativeSample, long wallSample, long blocked, long memory, long allocation) {
  /** The events are not registered. */
  static final EventIds NONE = new EventIds(-1, -1, -1, -1, -1);

  /** Registers the events. Takes JFR's locks. */
  static EventIds register() {
    return new EventIds(
        register(NativeSample.class),
        register(WallSample.class),
        register(Blocked.class),
        register(NativeMemory.class),
        register(NativeAllocation.class));
  }

  private static long register(Class<? extends Event> event) {
    FlightRecorder.register(event);
    return EventType.getEventType(event).getId();
  }
}
