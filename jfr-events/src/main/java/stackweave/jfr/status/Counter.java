package stackweave.jfr.status;

/**
 * The numbers of a {@code stackweave.SamplerStatus} event, in the order of its fields: each with
 * its field's name, label, unit and description, how the numbers of several events add up, and what
 * people are told of it. All else follows: the event's fields are tested against this.
 */
public enum Counter {
  INTERVAL("interval", "Interval", Unit.NANOS, Adding.LAST, ""),
  TAKEN("taken", "Samples Taken", Unit.COUNT, Adding.SUM, "", Said.always("taken")),
  WRITTEN("written", "Samples Written", Unit.COUNT, Adding.SUM, "", Said.always("written")),
  LOST(
      "lost",
      "Samples Lost",
      Unit.COUNT,
      Adding.SUM,
      "Reported lost by the kernel or the engine: no room in its buffer",
      Said.missing(
          "lost (no room in the buffer that they wait in)",
          "samples were lost: the kernel found no room for them")),
  DROPPED(
      "dropped",
      "Samples Dropped",
      Unit.COUNT,
      Adding.SUM,
      "Taken, and not written: the recorder was rotating too long, or limits were reached",
      Said.missing(
          "dropped (JFR was changing its file, or a limit was reached)",
          "samples were taken and not written")),
  UNDECODABLE(
      "undecodable",
      "Samples Undecodable",
      Unit.COUNT,
      Adding.SUM,
      "Taken, and not understood",
      Said.missing("undecodable (not understood)", "samples were taken and could not be decoded")),
  THINNED(
      "thinned",
      "Samples Thinned Out",
      Unit.COUNT,
      Adding.SUM,
      "Taken, and not decoded, to spare CPU time: samples that were kept have the more weight",
      Said.missing(
          "thinned out (to stay within drain=; others stand for them)",
          "samples were passed over to spare CPU time: the others stand for them by CPU time")),
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
      "Wall-clock time that unwinding those stacks took; names and events come on top"),
  CPU_KERNEL(
      "cpuKernel",
      "CPU Time In Kernel",
      Unit.NANOS,
      Adding.SUM,
      "CPU time in kernel mode that an engine of user mode can't sample, as far as it can be told;"
          + " 0 for the other engines, which sample it"),
  START_DELAY(
      "startDelay",
      "Start Delay",
      Unit.NANOS,
      Adding.MAX,
      "From the moment that a recording asked for samples until samples were taken; 0 while none"
          + " are"),
  FOREIGN(
      "foreign",
      "Foreign Samples",
      Unit.COUNT,
      Adding.SUM,
      "Samples of other processes, such as children before they are executed; discarded",
      Said.line("foreign: # samples of child processes, discarded")),
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
      "Memory of the kernel that the engine is estimated to hold for threads, beside rings"),
  KERNEL_MEMORY_BUDGET(
      "kernelMemoryBudget",
      "Kernel Memory Budget",
      Unit.BYTES,
      Adding.LAST,
      "The most of it that the engine may hold; 0 where it holds none"),
  CPU_MISSED(
      "cpuMissed",
      "CPU Time Missed",
      Unit.NANOS,
      Adding.SUM,
      "The part of the CPU time used from when no samples were taken: before sampling began, while"
          + " an engine was prepared, while it was switched off or had to wait"),
  INTERVAL_REACHED(
      "intervalReached",
      "Interval Reached",
      Unit.NANOS,
      Adding.LAST,
      "The shortest interval that the engine can reach, where that is more than the one asked for:"
          + " the tick of the kernel's clock; else 0");

  /** What is counted. */
  public enum Unit {
    COUNT,
    NANOS,
    BYTES
  }

  /** What the numbers of several events are together, and so what an event has. */
  public enum Adding {
    /** It only grows, from the agent's start on. An event has what came since the one before. */
    SUM,
    /** It is as it is at the moment. The last event that has it counts. */
    LAST,
    /** As {@link #LAST}, but the largest of all counts. */
    MAX
  }

  /** Where {@code status} says a number. */
  public enum Place {
    /** Nowhere, or in a sentence with others. */
    NONE,
    /** In the line {@code samples}, also if it is 0. */
    SAMPLES,
    /** In the line {@code samples}, and in the notes of exports, if it isn't 0. */
    MISSING,
    /** In a line of its own, if it isn't 0. */
    LINE
  }

  /**
   * What people are told of a number.
   *
   * @param place where {@code status} says it
   * @param status the words behind the number; of a line the whole, with {@code #} for the number
   * @param export the words behind the number in the notes of exports; empty for none
   */
  private record Said(Place place, String status, String export) {
    static final Said NOTHING = new Said(Place.NONE, "", "");

    static Said always(String status) {
      return new Said(Place.SAMPLES, status, "");
    }

    static Said missing(String status, String export) {
      return new Said(Place.MISSING, status, export);
    }

    static Said line(String status) {
      return new Said(Place.LINE, status, "");
    }
  }

  private final String field;
  private final String label;
  private final Unit unit;
  private final Adding adding;
  private final String description;
  private final Said said;

  Counter(String field, String label, Unit unit, Adding adding, String description) {
    this(field, label, unit, adding, description, Said.NOTHING);
  }

  Counter(String field, String label, Unit unit, Adding adding, String description, Said said) {
    this.field = field;
    this.label = label;
    this.unit = unit;
    this.adding = adding;
    this.description = description;
    this.said = said;
  }

  /** The name of the event's field. */
  public String field() {
    return field;
  }

  /** The label of the event's field. */
  public String label() {
    return label;
  }

  /** What is counted. */
  public Unit unit() {
    return unit;
  }

  /** What the numbers of several events are together. */
  public Adding adding() {
    return adding;
  }

  /** The description of the event's field; empty where the label says it all. */
  public String description() {
    return description;
  }

  /** Where {@code status} says the number. */
  public Place place() {
    return said.place();
  }

  /** What {@code status} says of {@code count}. */
  public String inStatus(long count) {
    return place() == Place.LINE
        ? said.status().replace("#", Long.toString(count))
        : count + " " + said.status();
  }

  /** What stands behind the number in the notes of exports; empty for nothing. */
  public String inExports() {
    return said.export();
  }
}
