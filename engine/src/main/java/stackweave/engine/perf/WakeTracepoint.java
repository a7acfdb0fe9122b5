package stackweave.engine.perf;

import java.io.File;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stackweave.engine.bpf.PidNamespace;
import stackweave.engine.perf.event.Tracefs;

/**
 * The kernel's tracepoint sched:sched_waking, which records wake-ups, with the offsets of the
 * fields that are used. Read from tracefs, by {@link SwitchEvents} when it begins. Immutable.
 *
 * @param id its number, the event's config
 * @param flags offset of common_flags in a record's data: what interrupted the waker, if anything
 * @param pid offset of the thread that is woken
 */
record WakeTracepoint(long id, int flags, int pid) {
  private static final Pattern FIELD =
      Pattern.compile("field:[^;]*?\\b(\\w+)(?:\\[\\d*])?;\\s*offset:(\\d+);\\s*size:(\\d+);");

  /** The fields that are used lie within as many bytes. */
  private static final int MAX_OFFSET = 256;

  /**
   * Reads it.
   *
   * @throws IOException with a line for users, if it can't be read, or would have thread ids that
   *     are not those of this process
   */
  static WakeTracepoint read() throws IOException {
    boolean isFirst;
    try {
      isFirst = PidNamespace.own().isFirst();
    } catch (IOException e) {
      isFirst = false;
    }
    if (!isFirst) {
      throw new IOException(
          "in a container's PID namespace sched_waking has other thread ids than the process");
    }
    File place = Tracefs.find("sched", "sched_waking");
    if (place == null) {
      throw new IOException(
          "sched_waking can't be read: root has to mount tracefs at " + Tracefs.ROOT);
    }
    return read(place);
  }

  /** As {@link #read()}, from a directory of tracefs. */
  static WakeTracepoint read(File place) throws IOException {
    try {
      String format = Tracefs.text(place, "format");
      return new WakeTracepoint(
          Tracefs.id(place), offset(format, "common_flags", 1), offset(format, "pid", 4));
    } catch (IOException | NumberFormatException e) {
      throw new IOException("sched_waking can't be read: " + e.getMessage());
    }
  }

  private static int offset(String format, String name, int size) throws IOException {
    Matcher field = FIELD.matcher(format);
    while (field.find()) {
      if (field.group(1).equals(name) && field.group(3).equals(Integer.toString(size))) {
        int offset = Integer.parseInt(field.group(2));
        if (offset <= MAX_OFFSET && offset % size == 0) {
          return offset;
        }
      }
    }
    throw new IOException("no field " + name + " in its format");
  }
}
