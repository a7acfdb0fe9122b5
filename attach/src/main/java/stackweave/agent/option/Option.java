package stackweave.agent.option;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.OptionalLong;
import stackweave.jfr.call.CallPatterns;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.control.SampledFeature;
import stackweave.jfr.control.SamplingSettings;
import stackweave.linux.MemoryAccess;

/**
 * The table of the agent's options, {@code name=value}: an entry has all texts of an option. {@link
 * Options} has the values. Must not use streams or lambdas where an option is parsed.
 */
public enum Option {
  INTERVAL("10ms", true, SamplingSettings.INTERVALS, "CPU time between two samples of a thread"),
  DEPTH("4096", true, SamplingSettings.DEPTHS, "most frames of one stack"),
  ENGINE("auto", true, SamplingSettings.ENGINES, "the engine that is tried first"),
  SAMPLE("explicit", false, "explicit", "only recordings whose settings name its events"),
  RECORD_FAILURES(
      "DIR", false, "a directory", "keeps incomplete stacks as files there; every:DIR: all"),
  SWITCH(
      "/FILE",
      false,
      "the absolute path of a file",
      "switches sampling off while that file is there"),
  DRAIN(
      "10",
      true,
      "how many percent of a core, from 1 to 100",
      "percent of a core for the agent's own thread"),
  PERF_MEMORY("64", true, Options.mebibytes(1), "MiB of the kernel's memory for perf's events"),
  MIN_HEAP(
      "64",
      true,
      Options.mebibytes(Options.LEAST_HEAP_MEBIBYTES),
      "MiB; JVMs with a smaller -Xmx are left alone, of ZGC's and Shenandoah's half counts"),
  HOOKS("auto", true, "auto, on, off, early", "whether classes of the JDK may change"),
  MEMORY(
      "auto",
      true,
      "auto, process_vm_readv, proc_self_mem",
      "what the JVM's own memory is read with"),
  JIT("c1", true, "c1, all", "which compilers may compile the agent"),
  WEAVE("on", false, "on, off", "samples are jdk.ExecutionSample events, too"),
  WALL(
      "20ms",
      false,
      SamplingSettings.WALL_INTERVALS,
      "waiting threads are sampled, too, looked at so often"),
  BLOCKED(
      "5ms",
      false,
      SamplingSettings.BLOCKED_THRESHOLDS,
      "an event for each time that a thread is blocked so long"),
  WALL_THREADS("NAME*", false, WallFilter.SYNTAX, "which threads are looked at while they wait"),
  CALLS(
      "CLASS::METHOD",
      false,
      CallPatterns.SYNTAX,
      "native methods whose calls are timed, with ; between"),
  EVENT("page-faults", false, SampledEvent.SYNTAX, "an event that is sampled instead of CPU time"),
  NATIVE_MEMORY("on", false, "on, off", "which stacks native memory grows by");

  final String example;
  final boolean isStandard;
  final String values;
  final String description;

  /**
   * @param example a value
   * @param isStandard whether it is the default
   * @param values the valid values, as text for users
   */
  Option(String example, boolean isStandard, String values, String description) {
    this.example = example;
    this.isStandard = isStandard;
    this.values = values;
    this.description = description;
  }

  /** The option of a name; null for none. */
  static Option named(String name) {
    for (Option option : values()) {
      if (option.text().equals(name)) {
        return option;
      }
    }
    return null;
  }

  /** The name as users give it. */
  String text() {
    return text(this);
  }

  /**
   * Parses a value; for {@link #INTERVAL} returns the text, because the unit depends on what is
   * sampled.
   *
   * @throws InvalidOptionException if it is none of the valid values
   */
  Object parse(String text) throws InvalidOptionException {
    Object value =
        switch (this) {
          case INTERVAL -> text;
          case DEPTH -> orNull(SamplingSettings.depth(text));
          case ENGINE -> SamplingSettings.isEngine(text) ? text : null;
          case SAMPLE -> text.equals("explicit") ? Boolean.TRUE : null;
          case RECORD_FAILURES -> text.isEmpty() ? null : text;
          case SWITCH -> text.startsWith("/") ? text : null;
          case DRAIN -> text.matches("[1-9]\\d?|100") ? Integer.valueOf(text) : null;
          case PERF_MEMORY -> mebibytes(text, 1);
          case MIN_HEAP -> mebibytes(text, Options.LEAST_HEAP_MEBIBYTES);
          case HOOKS -> constant(Options.Hooks.values(), text);
          case MEMORY -> memory(text);
          case JIT -> constant(Options.Jit.values(), text);
          case WEAVE, NATIVE_MEMORY -> onOrOff(text);
          case WALL -> orNull(SampledFeature.WAITING.parse(text));
          case BLOCKED -> orNull(SampledFeature.BLOCKED.parse(text));
          case WALL_THREADS -> WallFilter.parse(text) == null ? null : text;
          case CALLS -> CallPatterns.parse(text) == null ? null : text;
          case EVENT -> SampledEvent.parse(text);
        };
    if (value == null) {
      throw invalid(text, values);
    }
    return value;
  }

  /** The exception for a value that is none of those wanted. */
  InvalidOptionException invalid(String value, String wanted) {
    return new InvalidOptionException(
        "option '" + text() + "' can't be '" + value + "' (wanted: " + wanted + ")");
  }

  /** All names, as text for users. */
  static String names() {
    List<String> names = new ArrayList<>();
    for (Option option : values()) {
      names.add(option.text());
    }
    return String.join(", ", names);
  }

  /** The options for a terminal, one per line. */
  public static List<String> help() {
    List<String> lines = new ArrayList<>();
    for (Option option : values()) {
      lines.add(
          String.format(
              Locale.ROOT, "  %-21s %s", option.text() + "=" + option.example, option.description));
    }
    return lines;
  }

  private static Long orNull(OptionalLong value) {
    return value.isPresent() ? (Long) value.getAsLong() : null;
  }

  private static Integer orNull(OptionalInt value) {
    return value.isPresent() ? (Integer) value.getAsInt() : null;
  }

  private static Integer mebibytes(String text, int least) {
    int wanted = text.matches("[1-9]\\d{0,4}") ? Integer.parseInt(text) : 0;
    return wanted >= least && wanted <= Options.MAX_MEBIBYTES ? (Integer) wanted : null;
  }

  private static Boolean onOrOff(String text) {
    return text.equals("on") || text.equals("off") ? (Boolean) text.equals("on") : null;
  }

  /** The label of a value has underscores, as the names of system call and file have. */
  private static MemoryAccess memory(String text) {
    for (MemoryAccess access : MemoryAccess.values()) {
      if (access.label().equals(text)) {
        return access;
      }
    }
    return null;
  }

  private static Object constant(Enum<?>[] constants, String text) {
    for (Enum<?> constant : constants) {
      if (text(constant).equals(text)) {
        return constant;
      }
    }
    return null;
  }

  private static String text(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
