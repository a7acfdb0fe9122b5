package stackweave.jfr.status;

/**
 * The numbers of a {@code stackweave.SamplerStatus} event, in the order of its fields, which
 * describe them: how the numbers of several events add up, and the texts for users. If a new one
 * lacks its field or its line of docs/events.md, tests name them.
 */
public enum Counter {
  /** Interval between two samples of a thread, in ns. */
  INTERVAL(Adding.LAST),
  /** Samples that were taken. */
  TAKEN(Texts.always("taken")),
  /** Samples that were written. */
  WRITTEN(Texts.always("written")),
  /** Samples reported lost by the kernel or the engine: no room in the ring buffer. */
  LOST(
      Texts.missing(
          "lost (no room in the buffer that they wait in)",
          "samples were lost: the kernel found no room for them")),
  /**
   * Samples taken but not written: JFR took too long to change its file, a limit was reached, or
   * the heap had no room to decode them.
   */
  DROPPED(
      Texts.missing(
          "dropped (JFR was changing its file, a limit was reached, or the heap was full)",
          "samples were taken and not written")),
  /** Samples taken but not understood. */
  UNDECODABLE(
      Texts.missing("undecodable (not understood)", "samples were taken and could not be decoded")),
  /** Samples not decoded, to save CPU time; the samples that were kept have more weight. */
  THINNED(
      Texts.missing(
          "thinned out (to stay within drain=; others stand for them)",
          "samples were passed over to stay within the CPU time of drain=: the others stand for them")),
  /** CPU time that all threads of the process used, in ns. */
  CPU_USED,
  /** CPU time that the samples stand for, in ns. */
  CPU_COVERED,
  /** CPU time of the agent's own thread, in ns. */
  DRAIN_CPU,
  /** Frames of the stacks that were unwound. */
  FRAMES,
  /** Wall-clock time of unwinding those stacks, without names and events, in ns. */
  UNWIND_TIME,
  /**
   * In ns: CPU time in kernel mode that an engine of user mode can't sample, as far as it is known;
   * 0 for the other engines, which sample it.
   */
  CPU_KERNEL,
  /**
   * In ns: time from a recording's request for samples until samples were taken; 0 while none are.
   */
  START_DELAY(Adding.MAX),
  /** Samples of other processes, such as children before exec; discarded. */
  FOREIGN(Texts.line("foreign: # samples of other processes, discarded")),
  /** Threads of the process that can't be sampled at the moment; the note says why. */
  THREADS_SKIPPED(Adding.LAST),
  /**
   * In bytes: kernel memory that the engine is estimated to use for threads, without ring buffers.
   */
  KERNEL_MEMORY(Adding.LAST),
  /**
   * In ns: the part of the CPU time used while no samples were taken: before sampling began, while
   * an engine was started, while it was switched off or had to wait.
   */
  CPU_MISSED,
  /**
   * In ns: the shortest interval that the engine can reach, if it is longer than the one asked for:
   * the tick of the kernel's clock; otherwise 0.
   */
  INTERVAL_REACHED(Adding.LAST),
  /**
   * Samples with contextId 0 of threads that use labels, since it can't be told which scope they
   * were taken in.
   */
  LABEL_UNKNOWN,
  /**
   * Samples written, but not as jdk.ExecutionSample although that is asked for: more than 16 MiB
   * for a chunk, or what the note says.
   */
  UNWOVEN(
      Texts.line("not woven: # samples, which are no jdk.ExecutionSample; merge makes them some")),
  /** In ns: time between two looks at a waiting thread; 0 where waiting is not sampled. */
  WALL_INTERVAL(Adding.LAST),
  /** Threads that are looked at while they wait. */
  WALL_THREADS(Adding.LAST),
  /** Stacks of waiting threads that were read. */
  WALL_CAPTURED,
  /** Stacks of waiting threads that could not be read; the note says why. */
  WALL_UNREAD(Texts.exported("stacks of waiting threads could not be read")),
  /** Samples of waiting threads. */
  WALL_WRITTEN,
  /** Samples taken of waiting threads but not written, for the reasons of {@link #DROPPED}. */
  WALL_DROPPED(Texts.exported("samples of waiting threads were taken and not written")),
  /** The part of the agent's own CPU time that looking at waiting threads took, in ns. */
  WALL_CPU,
  /**
   * In ns: shortest time for which a blocked thread gets an event; 0 where blocked threads are not
   * timed.
   */
  BLOCKED_THRESHOLD(Adding.MAX),
  /** Events of blocked threads that were over. */
  BLOCKED_WRITTEN,
  /**
   * Blocks longer than the threshold, but over before the thread was looked at: no stack, so no
   * event.
   */
  BLOCKED_UNSEEN,
  /** Events of blocked threads that were not written, for the reasons of {@link #DROPPED}. */
  BLOCKED_DROPPED,
  /**
   * Threads that were off a CPU when records of switches were lost, or none were taken for a while:
   * their time is not known.
   */
  BLOCKED_LOST,
  /** Time in which switches were not recorded, for they or threads were too many, in ns. */
  BLOCKED_PAUSED,
  /** The part of the agent's own CPU time that timing blocked threads took, in ns. */
  BLOCKED_CPU,
  /**
   * Events that one sample stands for, while an event is sampled instead of CPU time; otherwise 0.
   */
  EVENT_INTERVAL(Adding.LAST),
  /** Events that the kernel counted in the threads that are sampled. */
  EVENTS_COUNTED,
  /** Events that the samples taken stand for. */
  EVENTS_COVERED,
  /** In bytes: native memory that was touched first, by the events of it. */
  MEMORY_TOUCHED,
  /** In bytes: the part of it that was given back to the system since. */
  MEMORY_GIVEN_BACK,
  /** Page faults that found no room in the ring buffer: touched memory that is missing. */
  MEMORY_LOST,
  /** Recorded pages that cannot be looked at later, for they are too many: they count as kept. */
  MEMORY_UNFOLLOWED,
  /** In bytes: native memory that was allocated by malloc, by the events of it. */
  ALLOCATED,
  /** In bytes: the part of it that was given back by free since. */
  FREED,
  /** Calls for which the buffer had no room: blocks that are missing, or seem to be live. */
  ALLOCATIONS_LOST,
  /** Recorded blocks that are not followed, for they are too many: they count as live. */
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
