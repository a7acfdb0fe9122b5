package stackweave.jfr.control;

import java.util.List;
import java.util.Locale;
import stackweave.jfr.event.Timespans;

/**
 * What the engine samples: CPU time, or an event of the kernel or the processor that is counted.
 * Immutable. Like {@link SamplingSettings} it must not use streams or lambdas.
 *
 * @param kind what sort of event it is
 * @param name as options, settings and recordings have it, such as {@code page-faults} or {@code
 *     sched:sched_switch}
 * @param interval how many events one sample stands for, at least 1; 0 for {@link #CPU}
 */
public record SampledEvent(Kind kind, String name, long interval) {
  /** The sorts of events. */
  public enum Kind {
    /** CPU time, in ns: no event that is counted. */
    CPU,
    /** An event that the kernel counts by itself (PERF_TYPE_SOFTWARE). */
    SOFTWARE,
    /** An event that the processor counts (PERF_TYPE_HARDWARE). */
    HARDWARE,
    /** A static tracepoint of the kernel, by its category and name in tracefs. */
    TRACEPOINT,
    /** The entry of a function of a mapped library. */
    UPROBE,
    /** A name that is no event: no engine samples it, and the refusal says so. */
    UNKNOWN
  }

  /** CPU time, which is sampled where no event is asked for. */
  public static final SampledEvent CPU = new SampledEvent(Kind.CPU, "cpu", 0);

  /** The name of samples of first touched memory, which no engine takes. */
  public static final String NATIVE_MEMORY = "native-memory";

  /** The name of blocks that malloc and its relatives gave, which no engine samples. */
  public static final String NATIVE_ALLOCATIONS = "native-allocations";

  /** The most events that one sample can be asked to stand for. */
  public static final long MAX_INTERVAL = 1_000_000_000_000L;

  /** The valid numbers of events, as text for users. */
  public static final String INTERVALS = "a number of events from 1 to 1000000000000, such as 1000";

  private static final List<String> SOFTWARE =
      List.of("page-faults", "minor-faults", "major-faults", "context-switches", "cpu-migrations");

  private static final List<String> HARDWARE =
      List.of(
          "cycles",
          "instructions",
          "cache-references",
          "cache-misses",
          "branch-instructions",
          "branch-misses");

  /** The valid events, as text for users. */
  public static final String SYNTAX =
      "cpu, "
          + String.join(", ", SOFTWARE)
          + ", "
          + String.join(", ", HARDWARE)
          + ", a tracepoint such as sched:sched_switch, or a function such as libc.so.6:malloc";

  /** Default interval of events that come a billion times a second. */
  private static final long CYCLES = 1_000_000;

  /** Default interval of events that come a million times a second. */
  private static final long MISSES = 1_000;

  private static final int MAX_LENGTH = 512;

  /** What a recording asks for that is none of {@link #SYNTAX}. */
  static SampledEvent unknown(String name) {
    return new SampledEvent(Kind.UNKNOWN, name.strip(), 1);
  }

  /** Whether what a recording has under this name is memory, in bytes. */
  public static boolean isMemory(String name) {
    return name.equals(NATIVE_MEMORY) || name.equals(NATIVE_ALLOCATIONS);
  }

  /** Whether it is CPU time. */
  public boolean isCpu() {
    return kind == Kind.CPU;
  }

  /** The event's number among those of its kind, in the order of {@link #SYNTAX}. */
  public int number() {
    return (kind == Kind.SOFTWARE ? SOFTWARE : HARDWARE).indexOf(name);
  }

  /** The category of a tracepoint, or the library of a function. */
  public String group() {
    return name.substring(0, name.lastIndexOf(':'));
  }

  /** The name of a tracepoint, or the symbol of a function. */
  public String member() {
    return name.substring(name.lastIndexOf(':') + 1);
  }

  /**
   * Parses {@link #SYNTAX}, with the usual interval of the event: 1 for what the kernel counts,
   * 1,000,000 cycles or instructions, 1,000 of the others that the processor counts.
   *
   * @return null if it is none
   */
  public static SampledEvent parse(String text) {
    String name = text.strip();
    String lower = name.toLowerCase(Locale.ROOT);
    if (lower.equals(CPU.name)) {
      return CPU;
    }
    if (SOFTWARE.contains(lower)) {
      return new SampledEvent(Kind.SOFTWARE, lower, 1);
    }
    if (HARDWARE.contains(lower)) {
      boolean often = lower.equals("cycles") || lower.equals("instructions");
      return new SampledEvent(Kind.HARDWARE, lower, often ? CYCLES : MISSES);
    }
    int colon = name.lastIndexOf(':');
    if (colon <= 0 || colon == name.length() - 1 || name.length() > MAX_LENGTH) {
      return null;
    }
    String group = name.substring(0, colon);
    String member = name.substring(colon + 1);
    if (!isWord(member, "_.$@") || !isPlain(group)) {
      return null;
    }
    if (group.indexOf('/') >= 0 || group.contains(".so")) {
      return new SampledEvent(Kind.UPROBE, name, 1);
    }
    return isWord(group, "_-") && isWord(member, "_")
        ? new SampledEvent(Kind.TRACEPOINT, name, 1)
        : null;
  }

  /** The same with another interval, one of {@link #INTERVALS}; null if it is none of these. */
  public SampledEvent every(String text) {
    if (Timespans.isDefault(text)) {
      return this;
    }
    try {
      long number = Long.parseLong(text.strip());
      return number < 1 || number > MAX_INTERVAL ? null : new SampledEvent(kind, name, number);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  /** A library's name or path: what a user types, and no control characters. */
  private static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) <= ' ' || text.charAt(i) > '~') {
        return false;
      }
    }
    return !text.contains("..");
  }

  private static boolean isWord(String text, String more) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean letter = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
      if (!letter && more.indexOf(c) < 0) {
        return false;
      }
    }
    return true;
  }

  // As in SamplingRequest: not the equals of a record.

  @Override
  public boolean equals(Object object) {
    return object instanceof SampledEvent other
        && kind == other.kind
        && name.equals(other.name)
        && interval == other.interval;
  }

  @Override
  public int hashCode() {
    return name.hashCode() + 31 * Long.hashCode(interval);
  }
}
