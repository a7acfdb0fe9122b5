package stackweave.jfr.read;

import jdk.jfr.consumer.RecordedEvent;

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
}
