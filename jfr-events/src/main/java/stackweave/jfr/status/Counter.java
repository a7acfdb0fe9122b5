package stackweave.jfr.status;

/**
 * The numbers of a {@code stackweave.SamplerStatus} event, in the order of its fields: name, label,
 * unit and description of the field, how several events' numbers add up, and the texts for users. A
 * test compares the event's fields with this.
 */
public enum Counter {
  INTERVAL("interval", "Interval", Unit.NANOS, Adding.LAST, ""),
  TAKEN("taken", "Samples Taken", Unit.COUNT, Adding.SUM, "", Texts.always("taken")),
  WRITTEN("written", "Samples Written", Unit.COUNT, Adding.SUM, "", Texts.always("written")),
  LOST(
      "lost",
      "Samples Lost",
      Unit.COUNT,
      Adding.SUM,
      "Reported lost by the kernel or the engine: no room in the ring buffer",
      Texts.missing(
          "lost (no room in the buffer that they wait in)",
          "samples were lost: the kernel found no room for them")),
  DROPPED(
      "dropped",
      "Samples Dropped",
      Unit.COUNT,
      Adding.SUM,
      "Taken but not written: JFR took too long to change its file, a limit was reached, or the heap"
          + " had no room to decode them",
      Texts.missing(
          "dropped (JFR was changing its file, a limit was reached, or the heap was full)",
          "samples were taken and not written")),
  UNDECODABLE(
      "undecodable",
      "Samples Undecodable",
      Unit.COUNT,
      Adding.SUM,
      "Taken but not understood",
      Texts.missing("undecodable (not understood)", "samples were taken and could not be decoded")),
  THINNED(
      "thinned",
      "Samples Thinned Out",
      Unit.COUNT,
      Adding.SUM,
      "Taken but not decoded, to save CPU time; the samples that were kept have more weight",
      Texts.missing(
          "thinned out (to stay within drain=; others stand for them)",
          "samples were passed over to stay within the CPU time of drain=: the others stand for them")),
  CPU_USED(
      "cpuUsed",
      "CPU Time Used",
      Unit.NANOS,
      Adding.SUM,
      "CPU time that all threads of the process used"),
  CPU_COVERED(
      "cpuCovered",
      "CPU Time Covered",
      Unit.NANOS,
      Adding.SUM,
      "CPU time that the samples stand for"),
  DRAIN_CPU(
      "drainCpu", "Drain CPU Time", Unit.NANOS, Adding.SUM, "CPU time of the agent's own thread"),
  FRAMES("frames", "Frames", Unit.COUNT, Adding.SUM, "Frames of the stacks that were unwound"),
  UNWIND_TIME(
      "unwindTime",
      "Unwind Time",
      Unit.NANOS,
      Adding.SUM,
      "Wall-clock time of unwinding those stacks, without names and events"),
  CPU_KERNEL(
      "cpuKernel",
      "CPU Time In Kernel",
      Unit.NANOS,
      Adding.SUM,
      "CPU time in kernel mode that an engine of user mode can't sample, as far as it is known;"
          + " 0 for the other engines, which sample it"),
  START_DELAY(
      "startDelay",
      "Start Delay",
      Unit.NANOS,
      Adding.MAX,
      "Time from a recording's request for samples until samples were taken; 0 while none are"),
  FOREIGN(
      "foreign",
      "Foreign Samples",
      Unit.COUNT,
      Adding.SUM,
      "Samples of other processes, of the same control group or before exec; discarded",
      Texts.line("foreign: # samples of other processes, discarded")),
  THREADS_SKIPPED(
      "threadsSkipped",
      "Threads Not Sampled",
      Unit.COUNT,
      Adding.LAST,
      "Threads of the process that can't be sampled at the moment; the note says why"),
  KERNEL_MEMORY(
      "kernelMemory",
      "Kernel Memory",
      Unit.BYTES,
      Adding.LAST,
      "Kernel memory that the engine is estimated to use for threads, without ring buffers"),
  KERNEL_MEMORY_BUDGET(
      "kernelMemoryBudget",
      "Kernel Memory Budget",
      Unit.BYTES,
      Adding.LAST,
      "The most kernel memory that the engine may use for threads; 0 if it uses none"),
  CPU_MISSED(
      "cpuMissed",
      "CPU Time Missed",
      Unit.NANOS,
      Adding.SUM,
      "The part of the CPU time used while no samples were taken: before sampling began, while an"
          + " engine was started, while it was switched off or had to wait"),
  INTERVAL_REACHED(
      "intervalReached",
      "Interval Reached",
      Unit.NANOS,
      Adding.LAST,
      "The shortest interval that the engine can reach, if it is longer than the one asked for:"
          + " the tick of the kernel's clock; otherwise 0"),
  LABELLED(
      "labelled",
      "Samples Labelled",
      Unit.COUNT,
      Adding.SUM,
      "Samples taken within a scope of the application's labels, with a contextId"),
  LABEL_UNKNOWN(
      "labelUnknown",
      "Labels Unknown",
      Unit.COUNT,
      Adding.SUM,
      "Samples with contextId 0 of threads that use labels, since it can't be told which scope they"
          + " were taken in"),
  UNWOVEN(
      "unwoven",
      "Samples Not Woven",
      Unit.COUNT,
      Adding.SUM,
      "Written, but not as jdk.ExecutionSample although that is asked for: more than 16 MiB for a"
          + " chunk, or what the note says",
      Texts.line("not woven: # samples, which are no jdk.ExecutionSample; merge makes them some")),
  WALL_INTERVAL(
      "wallInterval",
      "Wall Interval",
      Unit.NANOS,
      Adding.LAST,
      "Time between two looks at a waiting thread; 0 where waiting is not sampled"),
  WALL_THREADS(
      "wallThreads",
      "Wall Threads Watched",
      Unit.COUNT,
      Adding.LAST,
      "Threads that are looked at while they wait"),
  WALL_EXCLUDED(
      "wallExcluded",
      "Wall Threads Left Out",
      Unit.COUNT,
      Adding.LAST,
      "Threads that are not looked at: the JVM's own idle threads, and those left out by name"),
  WALL_LOOKS(
      "wallLooks",
      "Wall Looks",
      Unit.COUNT,
      Adding.SUM,
      "How often a thread was looked at, mostly to find that it has not run"),
  WALL_CAPTURED(
      "wallCaptured",
      "Wall Stacks Read",
      Unit.COUNT,
      Adding.SUM,
      "Stacks of waiting threads that were read"),
  WALL_DISCARDED(
      "wallDiscarded",
      "Wall Stacks Discarded",
      Unit.COUNT,
      Adding.SUM,
      "Stacks that were discarded because their thread ran while they were read"),
  WALL_UNREAD(
      "wallUnread",
      "Wall Stacks Unread",
      Unit.COUNT,
      Adding.SUM,
      "Stacks of waiting threads that could not be read; the note says why",
      Texts.exported("stacks of waiting threads could not be read")),
  WALL_WRITTEN(
      "wallWritten", "Wall Samples Written", Unit.COUNT, Adding.SUM, "Samples of waiting threads"),
  WALL_DROPPED(
      "wallDropped",
      "Wall Samples Dropped",
      Unit.COUNT,
      Adding.SUM,
      "Taken of waiting threads but not written, for the same reasons as dropped",
      Texts.exported("samples of waiting threads were taken and not written")),
  WALL_TIME(
      "wallTime",
      "Wall Time",
      Unit.NANOS,
      Adding.SUM,
      "Wall-clock time not on a CPU that the samples of waiting threads stand for"),
  WALL_CPU(
      "wallCpu",
      "Wall CPU Time",
      Unit.NANOS,
      Adding.SUM,
      "The part of the agent's own CPU time that looking at waiting threads took"),
  BLOCKED_THRESHOLD(
      "blockedThreshold",
      "Blocked Threshold",
      Unit.NANOS,
      Adding.MAX,
      "Shortest time for which a blocked thread gets an event; 0 where blocked threads are not timed"),
  BLOCKED_WRITTEN(
      "blockedWritten",
      "Blocked Events Written",
      Unit.COUNT,
      Adding.SUM,
      "Events of blocked threads that were over"),
  BLOCKED_TIME("blockedTime", "Blocked Time", Unit.NANOS, Adding.SUM, "The time of those events"),
  BLOCKED_OPEN(
      "blockedOpen",
      "Blocked Events Not Over",
      Unit.COUNT,
      Adding.SUM,
      "Events of threads that were still blocked at the end of a chunk"),
  BLOCKED_UNSEEN(
      "blockedUnseen",
      "Blocked Unseen",
      Unit.COUNT,
      Adding.SUM,
      "Longer than the threshold, but over before the thread was looked at: no stack, so no event"),
  BLOCKED_UNSEEN_TIME(
      "blockedUnseenTime", "Blocked Unseen Time", Unit.NANOS, Adding.SUM, "The time of those"),
  BLOCKED_PUT_OFF(
      "blockedPutOff",
      "Blocked Put Off",
      Unit.COUNT,
      Adding.SUM,
      "The part of those that a look came too late for to save CPU time"),
  BLOCKED_UNREAD(
      "blockedUnread",
      "Blocked Stacks Unread",
      Unit.COUNT,
      Adding.SUM,
      "Blocked threads whose stack could not be read; their events have none"),
  BLOCKED_DROPPED(
      "blockedDropped",
      "Blocked Events Dropped",
      Unit.COUNT,
      Adding.SUM,
      "Taken but not written, for the same reasons as dropped"),
  BLOCKED_LOST(
      "blockedLost",
      "Blocked Lost",
      Unit.COUNT,
      Adding.SUM,
      "Threads that were off a CPU when records of switches were lost, or none were taken for a while:"
          + " their time is not known"),
  BLOCKED_SWITCHES(
      "blockedSwitches",
      "Switch Records",
      Unit.COUNT,
      Adding.SUM,
      "Records of the kernel of threads that left a CPU or got one"),
  BLOCKED_PAUSED(
      "blockedPaused",
      "Blocked Not Timed",
      Unit.NANOS,
      Adding.SUM,
      "Time in which switches were not recorded, for they or threads were too many"),
  BLOCKED_DESCRIPTORS(
      "blockedDescriptors",
      "Switch File Descriptors",
      Unit.COUNT,
      Adding.MAX,
      "File descriptors that the records of switches take"),
  BLOCKED_CPU(
      "blockedCpu",
      "Blocked CPU Time",
      Unit.NANOS,
      Adding.SUM,
      "The part of the agent's own CPU time that timing blocked threads took"),
  EVENT_INTERVAL(
      "eventInterval",
      "Event Interval",
      Unit.COUNT,
      Adding.LAST,
      "Events that one sample stands for, while an event is sampled instead of CPU time; otherwise 0"),
  EVENTS_COUNTED(
      "eventsCounted",
      "Events Counted",
      Unit.COUNT,
      Adding.SUM,
      "Events that the kernel counted in the threads that are sampled"),
  EVENTS_COVERED(
      "eventsCovered",
      "Events Covered",
      Unit.COUNT,
      Adding.SUM,
      "Events that the samples taken stand for"),
  MEMORY_TOUCHED(
      "memoryTouched",
      "Native Memory Touched",
      Unit.BYTES,
      Adding.SUM,
      "Native memory that was touched first, by the events of it"),
  MEMORY_GIVEN_BACK(
      "memoryGivenBack",
      "Native Memory Given Back",
      Unit.BYTES,
      Adding.SUM,
      "The part of it that was given back to the system since"),
  MEMORY_FAULTS(
      "memoryFaults",
      "Page Faults",
      Unit.COUNT,
      Adding.SUM,
      "Page faults of all sorts while native memory was recorded"),
  MEMORY_HEAP_FAULTS(
      "memoryHeapFaults",
      "Page Faults In Heap",
      Unit.COUNT,
      Adding.SUM,
      "Those of the Java heap, of files and of shared memory, which are not recorded"),
  MEMORY_LOST(
      "memoryLost",
      "Page Faults Lost",
      Unit.COUNT,
      Adding.SUM,
      "Page faults that found no room in the ring buffer: touched memory that is missing"),
  MEMORY_UNFOLLOWED(
      "memoryUnfollowed",
      "Pages Not Followed",
      Unit.COUNT,
      Adding.SUM,
      "Recorded pages that can not be looked at later, for they are too many: they count as kept"),
  MEMORY_HUGE(
      "memoryHuge",
      "Huge Pages",
      Unit.COUNT,
      Adding.SUM,
      "Page faults of native memory that gave a huge page of 2 MiB at once"),
  ALLOCATED(
      "allocated",
      "Native Memory Allocated",
      Unit.BYTES,
      Adding.SUM,
      "Native memory that was allocated by malloc, by the events of it"),
  FREED(
      "freed",
      "Native Memory Freed",
      Unit.BYTES,
      Adding.SUM,
      "The part of it that was given back by free since"),
  ALLOCATION_CALLS(
      "allocationCalls",
      "Allocation Calls",
      Unit.COUNT,
      Adding.SUM,
      "Calls of malloc, calloc, realloc and free while allocations were recorded"),
  ALLOCATIONS_LOST(
      "allocationsLost",
      "Allocations Lost",
      Unit.COUNT,
      Adding.SUM,
      "Calls for which the buffer had no room: blocks that are missing, or seem to be live"),
  ALLOCATIONS_UNFOLLOWED(
      "allocationsUnfollowed",
      "Allocations Not Followed",
      Unit.COUNT,
      Adding.SUM,
      "Recorded blocks that are not followed, for they are too many: they count as live"),
  TABLES_FREED(
      "tablesFreed",
      "Tables Freed",
      Unit.COUNT,
      Adding.SUM,
      "How often a garbage collection freed what stacks are decoded with, and sampling began anew",
      Texts.line("tables freed: # times by a garbage collection, after which sampling began anew")),
  HEAP_REST(
      "heapRest",
      "Heap Rest",
      Unit.NANOS,
      Adding.SUM,
      "Time in which samples waited in the ring buffer, for little of the heap was free to decode"
          + " them");

  /** What is counted. */
  public enum Unit {
    COUNT,
    NANOS,
    BYTES
  }

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

  private final String field;
  private final String label;
  private final Unit unit;
  private final Adding adding;
  private final String description;
  private final Texts texts;

  Counter(String field, String label, Unit unit, Adding adding, String description) {
    this(field, label, unit, adding, description, Texts.NOTHING);
  }

  Counter(String field, String label, Unit unit, Adding adding, String description, Texts texts) {
    this.field = field;
    this.label = label;
    this.unit = unit;
    this.adding = adding;
    this.description = description;
    this.texts = texts;
  }

  /** The name of the event's field. */
  public String field() {
    return field;
  }

  /** The label of the event's field. */
  public String label() {
    return label;
  }

  /** Whether it says something of samples of waiting threads alone. */
  public boolean isOfWaiting() {
    return ordinal() >= WALL_INTERVAL.ordinal() && ordinal() <= WALL_CPU.ordinal();
  }

  /** What is counted. */
  public Unit unit() {
    return unit;
  }

  /** How the numbers of several events are combined. */
  public Adding adding() {
    return adding;
  }

  /** The description of the event's field; empty where the label says it all. */
  public String description() {
    return description;
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
