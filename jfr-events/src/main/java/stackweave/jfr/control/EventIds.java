package stackweave.jfr.control;

import java.util.HashMap;
import java.util.Map;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import stackweave.jfr.event.NativeSample;

/**
 * JFR's ids of the events whose settings ask for samples: settings may name an event by its id.
 * Immutable.
 *
 * @param byName the ids by the names of the events
 */
record EventIds(Map<String, Long> byName) {
  /** The events are not registered. */
  static final EventIds NONE = new EventIds(Map.of());

  EventIds {
    byName = Map.copyOf(byName);
  }

  /** Registers the events. Takes JFR's locks. */
  static EventIds register() {
    Map<String, Long> ids = new HashMap<>();
    ids.put(NativeSample.NAME, register(NativeSample.class));
    for (SampledFeature feature : SampledFeature.values()) {
      ids.put(feature.event(), register(feature.type()));
    }
    return new EventIds(ids);
  }

  private static long register(Class<? extends Event> event) {
    FlightRecorder.register(event);
    return EventType.getEventType(event).getId();
  }

  /** The id of an event; -1 if it is not known. */
  long of(String event) {
    return byName.getOrDefault(event, -1L);
  }
}
