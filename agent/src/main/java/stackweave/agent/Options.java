package stackweave.agent;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import stackweave.agent.drain.wall.WallFilter;
import stackweave.agent.linux.MemoryAccess;
import stackweave.jfr.call.CallPatterns;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.control.SamplingSettings;

/**
 * The agent's options, {@code name=value,name=value} after {@code =} in -javaagent; immutable. An
 * unknown name or value is an error: a misspelt option must not be ignored silently. Each accessor
 * says its unit; docs/recordings.md and docs/limits.md describe them for users.
 *
 * @param intervalNanos CPU time between two samples in ns, or {@link #AS_RECORDED}; for recordings
 *     whose settings have none
 * @param depth most frames of a stack, or {@link #AS_RECORDED}; for recordings whose settings have
 *     none
 * @param engine one of {@link SamplingSettings#ENGINES}, for recordings whose settings name none
 * @param explicit whether only recordings that name {@code stackweave.NativeSample} or {@code
 *     stackweave.WallSample} are sampled
 * @param recordFailures directory for replay files of incomplete stacks; empty: none are written
 * @param switchFile absolute path of the file that switches sampling off; empty: the default paths
 * @param drainPercent long-term CPU limit of the drain thread, in percent of a core, 1 to 100
 * @param perfMebibytes limit of kernel memory for perf events, in MiB, 1 to 65,536
 * @param minHeapMebibytes smallest maximum heap of a JVM that is sampled, in MiB, from {@link
 *     #LEAST_HEAP_MEBIBYTES} on
 * @param hooks whether classes of the JDK may be instrumented while sampling
 * @param memory how the process reads its own memory
 * @param jit which of the JVM's compilers may compile the agent's classes
 * @param weave whether JFR's chunks get the samples as JFR's own events, too
 * @param wallNanos wall-clock time between two looks at a waiting thread in ns, for recordings
 *     whose settings say nothing of it; {@link SamplingSettings#WALL_OFF}: these have no such
 *     samples
 * @param blockedNanos shortest time for which a blocked thread gets an event in ns, for recordings
 *     whose settings say nothing of it; {@link SamplingSettings#BLOCKED_OFF}: these have none
 * @param wallThreads names of the threads that are looked at while they wait, as {@link
 *     WallFilter#SYNTAX} says; empty: all but the JVM's own
 * @param calls native methods whose calls are timed, as {@link CallPatterns#SYNTAX} says; empty:
 *     none
 * @param event what is sampled, with its interval if it is not CPU time, for recordings whose
 *     settings say nothing of it
 * @param nativeMemory whether first touches of native memory are recorded, for recordings whose
 *     settings say nothing of it
 */
public record Options(
    long intervalNanos,
    int depth,
    String engine,
    boolean explicit,
    String recordFailures,
    String switchFile,
    int drainPercent,
    int perfMebibytes,
    int minHeapMebibytes,
    Hooks hooks,
    MemoryAccess memory,
    Jit jit,
    boolean weave,
    long wallNanos,
    long blockedNanos,
    String wallThreads,
    String calls,
    SampledEvent event,
    boolean nativeMemory) {

  /**
   * Value of interval and depth where no option was given: the recording's settings or the default
   * apply.
   */
  public static final int AS_RECORDED = 0;

  /** In percent of a core: many times what sampling at 100 Hz costs. */
  public static final int DEFAULT_DRAIN_PERCENT = 10;

  /** In MiB: enough for 380 threads on 128 CPUs, or 24,000 on 2. */
  public static final int DEFAULT_PERF_MEBIBYTES = 64;

  private static final int MAX_MEBIBYTES = 65_536;

  /**
   * In MiB. Below this size sampling would hardly ever find room to begin, and what the agent keeps
   * while it waits can be what the application lacks.
   */
  public static final int LEAST_HEAP_MEBIBYTES = 48;

  /**
   * In MiB. An application that fills a smaller heap while it is sampled lacks what the agent has
   * of it by then: 2 MiB or more.
   */
  private static final int DEFAULT_MIN_HEAP_MEBIBYTES = 256;

  /** Whether classes of the JDK are instrumented while sampling. */
  public enum Hooks {
    /** Only if the agent was started by -javaagent, not if it was attached later. */
    AUTO,
    ON,
    OFF,
    /** As ON, and loads of libraries are observed from the agent's start on. */
    EARLY
  }

  /** Which of the JVM's compilers may compile the agent's classes. */
  public enum Jit {
    /** C1 alone: a compiler directive of the JVM keeps C2 away from them. */
    C1,
    /** As the JVM sees fit; no directive is added. */
    ALL
  }

  private enum Name {
    INTERVAL,
    DEPTH,
    ENGINE,
    SAMPLE,
    RECORD_FAILURES,
    SWITCH,
    DRAIN,
    PERF_MEMORY,
    MIN_HEAP,
    HOOKS,
    MEMORY,
    JIT,
    WEAVE,
    WALL,
    BLOCKED,
    WALL_THREADS,
    CALLS,
    EVENT,
    NATIVE_MEMORY
  }

  /**
   * Parses the agent's argument.
   *
   * @param text may be null or blank: all defaults
   * @throws InvalidOptionException with a one-line message for the user
   */
  public static Options parse(String text) throws InvalidOptionException {
    long interval = AS_RECORDED;
    int depth = AS_RECORDED;
    String engine = SamplingSettings.DEFAULT_ENGINE;
    boolean explicit = false;
    String recordFailures = "";
    Hooks hooks = Hooks.AUTO;
    MemoryAccess memory = MemoryAccess.AUTO;
    Jit jit = Jit.C1;
    boolean weave = false;
    long wall = SamplingSettings.WALL_OFF;
    long blocked = SamplingSettings.BLOCKED_OFF;
    String wallThreads = "";
    String calls = "";
    SampledEvent event = SampledEvent.CPU;
    boolean nativeMemory = false;
    String intervalText = null;
    String switchFile = "";
    int drainPercent = DEFAULT_DRAIN_PERCENT;
    int perfMebibytes = DEFAULT_PERF_MEBIBYTES;
    int minHeapMebibytes = DEFAULT_MIN_HEAP_MEBIBYTES;
    if (text == null || text.isBlank()) {
      return new Options(
          interval,
          depth,
          engine,
          explicit,
          recordFailures,
          switchFile,
          drainPercent,
          perfMebibytes,
          minHeapMebibytes,
          hooks,
          memory,
          jit,
          weave,
          wall,
          blocked,
          wallThreads,
          calls,
          event,
          nativeMemory); // the common case loads no further classes
    }
    Set<Name> seen = new HashSet<>();
    for (String option : text.split(",", -1)) {
      int equals = option.indexOf('=');
      String key = (equals < 0 ? option : option.substring(0, equals)).trim();
      String value = equals < 0 ? "" : option.substring(equals + 1).trim();
      Name name = constant(Name.class, key);
      if (name == null) {
        throw new InvalidOptionException(
            "unknown option '" + key + "' (known: " + names(Name.class) + ")");
      }
      if (!seen.add(name)) {
        throw new InvalidOptionException("option '" + key + "' is given twice");
      }
      switch (name) {
        case INTERVAL -> intervalText = value;
        case NATIVE_MEMORY -> nativeMemory = onOrOff(name, value);
        case EVENT -> {
          event = SampledEvent.parse(value);
          if (event == null) {
            throw invalid(name, value, SampledEvent.SYNTAX);
          }
        }
        case DEPTH -> depth = depth(value);
        case ENGINE -> engine = engine(value);
        case SAMPLE -> {
          if (!value.equals("explicit")) {
            throw invalid(name, value, "explicit");
          }
          explicit = true;
        }
        case RECORD_FAILURES -> {
          if (value.isEmpty()) {
            throw invalid(name, value, "a directory");
          }
          recordFailures = value;
        }
        case SWITCH -> {
          if (!value.startsWith("/")) {
            throw invalid(name, value, "the absolute path of a file");
          }
          switchFile = value;
        }
        case DRAIN -> drainPercent = drainPercent(value);
        case PERF_MEMORY -> perfMebibytes = mebibytes(name, value, 1);
        case MIN_HEAP -> minHeapMebibytes = mebibytes(name, value, LEAST_HEAP_MEBIBYTES);
        case HOOKS -> {
          hooks = constant(Hooks.class, value);
          if (hooks == null) {
            throw invalid(name, value, names(Hooks.class));
          }
        }
        case MEMORY -> memory = memory(value);
        case JIT -> {
          jit = constant(Jit.class, value);
          if (jit == null) {
            throw invalid(name, value, names(Jit.class));
          }
        }
        case WEAVE -> weave = onOrOff(name, value);
        case WALL -> wall = wall(value);
        case BLOCKED -> blocked = blocked(value);
        case WALL_THREADS -> {
          if (WallFilter.parse(value) == null) {
            throw invalid(name, value, WallFilter.SYNTAX);
          }
          wallThreads = value;
        }
        case CALLS -> {
          if (CallPatterns.parse(value) == null) {
            throw invalid(name, value, CallPatterns.SYNTAX);
          }
          calls = value;
        }
      }
    }
    if (intervalText != null && event.isCpu()) {
      interval = interval(intervalText);
    } else if (intervalText != null) {
      SampledEvent every = event.every(intervalText);
      if (every == null) {
        throw invalid(Name.INTERVAL, intervalText, SampledEvent.INTERVALS);
      }
      event = every;
    }
    return new Options(
        interval,
        depth,
        engine,
        explicit,
        recordFailures,
        switchFile,
        drainPercent,
        perfMebibytes,
        minHeapMebibytes,
        hooks,
        memory,
        jit,
        weave,
        wall,
        blocked,
        wallThreads,
        calls,
        event,
        nativeMemory);
  }

  /**
   * Whether classes of the JDK may be instrumented.
   *
   * @param attached whether the agent was attached to a running JVM, where on JDK 17 the first
   *     retransformation of a loaded class deoptimizes all compiled code
   */
  boolean mayInstrument(boolean attached) {
    return hooks != Hooks.OFF && (hooks != Hooks.AUTO || !attached);
  }

  private static long interval(String value) throws InvalidOptionException {
    OptionalLong nanos = SamplingSettings.interval(value);
    if (nanos.isEmpty()) {
      throw invalid(Name.INTERVAL, value, SamplingSettings.INTERVALS);
    }
    return nanos.getAsLong();
  }

  private static long wall(String value) throws InvalidOptionException {
    OptionalLong nanos = SamplingSettings.wallInterval(value);
    if (nanos.isEmpty()) {
      throw invalid(Name.WALL, value, SamplingSettings.WALL_INTERVALS);
    }
    return nanos.getAsLong();
  }

  private static long blocked(String value) throws InvalidOptionException {
    OptionalLong nanos = SamplingSettings.blockedThreshold(value);
    if (nanos.isEmpty()) {
      throw invalid(Name.BLOCKED, value, SamplingSettings.BLOCKED_THRESHOLDS);
    }
    return nanos.getAsLong();
  }

  private static int depth(String value) throws InvalidOptionException {
    OptionalInt depth = SamplingSettings.depth(value);
    if (depth.isEmpty()) {
      throw invalid(Name.DEPTH, value, SamplingSettings.DEPTHS);
    }
    return depth.getAsInt();
  }

  private static String engine(String value) throws InvalidOptionException {
    if (!SamplingSettings.isEngine(value)) {
      throw invalid(Name.ENGINE, value, SamplingSettings.ENGINES);
    }
    return value;
  }

  private static int drainPercent(String value) throws InvalidOptionException {
    if (value.matches("[1-9]\\d?|100")) {
      return Integer.parseInt(value);
    }
    throw invalid(Name.DRAIN, value, "how many percent of a core, from 1 to 100");
  }

  /**
   * Compared with the labels, which have underscores as in the names of the system call and the
   * file.
   */
  private static MemoryAccess memory(String value) throws InvalidOptionException {
    for (MemoryAccess access : MemoryAccess.values()) {
      if (access.label().equals(value)) {
        return access;
      }
    }
    throw invalid(Name.MEMORY, value, "auto, process_vm_readv, proc_self_mem");
  }

  private static boolean onOrOff(Name name, String value) throws InvalidOptionException {
    return switch (value) {
      case "on" -> true;
      case "off" -> false;
      default -> throw invalid(name, value, "on, off");
    };
  }

  private static int mebibytes(Name name, String value, int least) throws InvalidOptionException {
    int wanted = value.matches("[1-9]\\d{0,4}") ? Integer.parseInt(value) : 0;
    if (wanted >= least && wanted <= MAX_MEBIBYTES) {
      return wanted;
    }
    throw invalid(name, value, "MiB, from " + least + " to " + MAX_MEBIBYTES);
  }

  /**
   * Whether a JVM's heap is too small to be sampled. Serial counts one survivor space less than its
   * size ({@code DefNewGeneration::max_capacity}).
   *
   * @param heapBytes {@link Runtime#maxMemory}
   */
  boolean isTooSmall(long heapBytes) {
    return heapBytes < ((long) minHeapMebibytes << 20) / 16 * 15;
  }

  private static InvalidOptionException invalid(Name name, String value, String wanted) {
    return new InvalidOptionException(
        "option '" + text(name) + "' can't be '" + value + "' (wanted: " + wanted + ")");
  }

  private static <E extends Enum<E>> E constant(Class<E> type, String text) {
    for (E constant : type.getEnumConstants()) {
      if (text(constant).equals(text)) {
        return constant;
      }
    }
    return null;
  }

  private static String names(Class<? extends Enum<?>> type) {
    Function<Enum<?>, String> name = Options::text;
    return Arrays.stream(type.getEnumConstants()).map(name).collect(Collectors.joining(", "));
  }

  private static String text(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
