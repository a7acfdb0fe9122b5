package stackweave.jfr.status;

/**
 * The numbers of a {@code stackweave.SamplerStatus} event, in the order of its fields, which
 * describe them: how the numbers of several events add up, and the texts for users. If a new one
 * lacks its field or its line of docs/events.md, tests name them.
 */
public enum Counter {
  INTERVAL(Adding.LAST),
  TAKEN(Texts.always("taken")),
  WRITTEN(Texts.always("written")),
  LOST(
      Texts.missing(
          "lost (no room in the buffer that they wait in)",
          "samples were lost: the kernel found no room for them")),
  DROPPED(
      Texts.missing(
          "dropped (JFR was changing its file, a limit was reached, or the heap was full)",
          "samples were taken and not written")),
  UNDECODABLE(
      Texts.missing("undecodable (not understood)", "samples were taken and could not be decoded")),
  THINNED(
      Texts.missing(
          "thinned out (to stay within drain=; others stand for them)",
          "samples were passed over to stay within the CPU time of drain=: the others stand for them")),
  CPU_USED,
  CPU_COVERED,
  DRAIN_CPU,
  FRAMES,
  UNWIND_TIME,
  CPU_KERNEL,
  START_DELAY(Adding.MAX),
  FOREIGN(Texts.line("foreign: # samples of other processes, discarded")),
  THREADS_SKIPPED(Adding.LAST),
  KERNEL_MEMORY(Adding.LAST),
  CPU_MISSED,
  INTERVAL_REACHED(Adding.LAST),
  LABEL_UNKNOWN,
  UNWOVEN(
      Texts.line("not woven: # samples, which are no jdk.ExecutionSample; merge makes them some")),
  WALL_INTERVAL(Adding.LAST),
  WALL_THREADS(Adding.LAST),
  WALL_CAPTURED,
  WALL_UNREAD(Texts.exported("stacks of waiting threads could not be read")),
  WALL_WRITTEN,
  WALL_DROPPED(Texts.exported("samples of waiting threads were taken and not written")),
  WALL_CPU,
  BLOCKED_THRESHOLD(Adding.MAX),
  BLOCKED_WRITTEN,
  BLOCKED_UNSEEN,
  BLOCKED_DROPPED,
  BLOCKED_LOST,
  BLOCKED_PAUSED,
  BLOCKED_CPU,
  EVENT_INTERVAL(Adding.LAST),
  EVENTS_COUNTED,
  EVENTS_COVERED,
  MEMORY_TOUCHED,
  MEMORY_GIVEN_BACK,
  MEMORY_LOST,
  MEMORY_UNFOLLOWED,
  ALLOCATED,
  FREED,
  ALLOCATIONS_LOST,
  ALLOCATIONS_UNFOLLOWED;

  /** How the numbers of several events are combined, and so what one event has. */
  public enum Adding {
    /** Cumulative; an event has the increase since the one before. */
    SUM,
    /** A present value; the last event counts. */
    LAST,
    /** A present value; the largest of all events counts. */
    MAX
  }

  /** Where {@code status} shows a number. */
  public enum Place {
    /** Nowhere, or together with others. */
    NONE,
    /** In the line {@code samples}, also if it is 0. */
    SAMPLES,
    /** In the line {@code samples}, and in the notes of exports, if it isn't 0. */
    MISSING,
    /** In a line of its own, if it isn't 0. */
    LINE
  }

  /**
   * The texts for users.
   *
   * @param place where {@code status} shows it
   * @param status the words after the number; for a line the whole, with {@code #} for the number
   * @param export the words after the number in the notes of exports; empty for none
   */
  private record Texts(Place place, String status, String export) {
    static final Texts NOTHING = new Texts(Place.NONE, "", "");

    static Texts always(String status) {
      return new Texts(Place.SAMPLES, status, "");
    }

    static Texts missing(String status, String export) {
      return new Texts(Place.MISSING, status, export);
    }

    static Texts line(String status) {
      return new Texts(Place.LINE, status, "");
    }

    static Texts exported(String export) {
      return new Texts(Place.NONE, "", export);
    }
  }

  private final String field = field(name());
  private final Adding adding;
  private final Texts texts;

  Counter() {
    this(Adding.SUM, Texts.NOTHING);
  }

  Counter(Adding adding) {
    this(adding, Texts.NOTHING);
  }

  Counter(Texts texts) {
    this(Adding.SUM, texts);
  }

  Counter(Adding adding, Texts texts) {
    this.adding = adding;
    this.texts = texts;
  }

  /** The field's name: cpuUsed for CPU_USED. */
  private static String field(String name) {
    StringBuilder field = new StringBuilder();
    for (int i = 0; i < name.length(); i++) {
      boolean isFirst = i > 0 && name.charAt(i - 1) == '_';
      if (name.charAt(i) != '_') {
        field.append(isFirst ? name.charAt(i) : Character.toLowerCase(name.charAt(i)));
      }
    }
    return field.toString();
  }

  /** The name of the event's field. */
  public String field() {
    return field;
  }

  /** Whether it says something of samples of waiting threads alone. */
  public boolean isOfWaiting() {
    return name().startsWith("WALL_");
  }

  /** How the numbers of several events are combined. */
  public Adding adding() {
    return adding;
  }

  /** Where {@code status} shows the number. */
  public Place place() {
    return texts.place();
  }

  /** The text of {@code count} in {@code status}. */
  public String inStatus(long count) {
    return place() == Place.LINE
        ? texts.status().replace("#", Long.toString(count))
        : count + " " + texts.status();
  }

  /** The words after the number in the notes of exports; empty for none. */
  public String inExports() {
    return texts.export();
  }
}
