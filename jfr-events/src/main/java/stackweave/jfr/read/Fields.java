package stackweave.jfr.read;

import java.util.EnumMap;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import stackweave.jfr.status.Breakdown;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.status.SamplerFigures;

/** Fields of events that an older or newer agent may have written without them. */
final class Fields {
  private Fields() {}

  static long number(RecordedEvent event, String name) {
    return event.hasField(name) ? event.getLong(name) : 0;
  }

  static int integer(RecordedEvent event, String name) {
    return (int) number(event, name);
  }

  static boolean flag(RecordedEvent event, String name) {
    return event.hasField(name) && event.getBoolean(name);
  }

  /** Never null. */
  static String text(RecordedEvent event, String name) {
    String text = event.hasField(name) ? event.getString(name) : null;
    return text == null ? "" : text;
  }

  /** The figures of a status; those that it lacks are 0 or empty. */
  static SamplerFigures figures(RecordedEvent status) {
    Counters counters = new Counters();
    for (Counter counter : Counter.values()) {
      counters.set(counter, number(status, counter.field()));
    }
    Map<Breakdown, Map<String, Long>> breakdowns = new EnumMap<>(Breakdown.class);
    for (Breakdown breakdown : Breakdown.values()) {
      breakdowns.put(breakdown, Breakdown.parse(text(status, breakdown.field())));
    }
    return new SamplerFigures(
        text(status, "engine"),
        text(status, "engineReason"),
        text(status, "note"),
        counters,
        breakdowns);
  }
}
