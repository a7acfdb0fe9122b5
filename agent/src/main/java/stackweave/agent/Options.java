package stackweave.agent;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import stackweave.agent.linux.MemoryAccess;
import stackweave.jfr.control.SamplingSettings;

/**
 * What stands after {@code =} in -javaagent: {@code name=value,name=value}. Strict: a name or value
 * that isn't known is an error, since a misspelt option that is passed over silently costs a day.
 *
 * @param intervalNanos CPU time between two samples for recordings whose settings name none, or
 *     {@link #AS_RECORDED}: the usual one
 * @param depth the most frames of a stack for recordings whose settings name none, or {@link
 *     #AS_RECORDED}
 * @param engine what takes the samples for recordings whose settings name nothing, one of {@link
 *     SamplingSettings#ENGINES}
 * @param explicit only recordings that name {@code stackweave.NativeSample} are sampled, not every
 *     one that a person started
 * @param recordFailures the directory for replay files of stacks that don't reach their root, or
 *     empty: none are written
 * @param switchFile the file that switches sampling off while it is there, or empty: the usual one
 * @param drainPercent how much of a core the drain thread may use in the long run, from 1 to 100
 * @param perfMebibytes of the kernel's memory that perf may take for the events of threads, in MiB
 * @param hooks whether classes of the JDK are instrumented while sampling goes on
 * @param memory what the process's own memory is read with
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
    Hooks hooks,
    MemoryAccess memory) {

  /** Where the recording's settings decide. */
  public static final int AS_RECORDED = 0;

  /** A tenth of a core: many times what sampling at 100 Hz costs. */
  public static final int DEFAULT_DRAIN_PERCENT = 10;

  /** 380 threads on 128 CPUs, 24,000 on 2. */
  public static final int DEFAULT_PERF_MEBIBYTES = 64;

  private static final int MAX_PERF_MEBIBYTES = 65_536;

  /** Whether classes of the JDK are instrumented while sampling goes on. */
  public enum Hooks {
    /** Where the agent came with the JVM's start, and not where it was attached. */
    AUTO,
    ON,
    OFF
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
    HOOKS,
    MEMORY
  }

  /**
   * Options out of the agent's argument.
   *
   * @param text may be null or empty: all as recorded
   * @throws InvalidOptionException with a message for the user
   */
  public static Options parse(String text) throws InvalidOptionException {
    long interval = AS_RECORDED;
    int depth = AS_RECORDED;
    String engine = SamplingSettings.DEFAULT_ENGINE;
    boolean explicit = false;
    String recordFailures = "";
    Hooks hooks = Hooks.AUTO;
    MemoryAccess memory = MemoryAccess.AUTO;
    String switchFile = "";
    int drainPercent = DEFAULT_DRAIN_PERCENT;
    int perfMebibytes = DEFAULT_PERF_MEBIBYTES;
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
          hooks,
          memory); // the usual case loads no more classes
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
        case INTERVAL -> interval = interval(value);
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
        case PERF_MEMORY -> perfMebibytes = perfMebibytes(value);
        case HOOKS -> {
          hooks = constant(Hooks.class, value);
          if (hooks == null) {
            throw invalid(name, value, names(Hooks.class));
          }
        }
        case MEMORY -> memory = memory(value);
      }
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
        hooks,
        memory);
  }

  /**
   * Whether classes of the JDK may be instrumented.
   *
   * @param attached whether the agent was attached to a running JVM: its first transformation of a
   *     loaded class throws all compiled code away on JDK 17
   */
  boolean mayInstrument(boolean attached) {
    return hooks == Hooks.ON || hooks == Hooks.AUTO && !attached;
  }

  private static long interval(String value) throws InvalidOptionException {
    OptionalLong nanos = SamplingSettings.interval(value);
    if (nanos.isEmpty()) {
      throw invalid(Name.INTERVAL, value, SamplingSettings.INTERVALS);
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

  /** The names of system calls and files keep their underscores. */
  private static MemoryAccess memory(String value) throws InvalidOptionException {
    for (MemoryAccess access : MemoryAccess.values()) {
      if (access.label().equals(value)) {
        return access;
      }
    }
    throw invalid(Name.MEMORY, value, "auto, process_vm_readv, proc_self_mem");
  }

  private static int perfMebibytes(String value) throws InvalidOptionException {
    if (value.matches("[1-9]\\d{0,4}") && Integer.parseInt(value) <= MAX_PERF_MEBIBYTES) {
      return Integer.parseInt(value);
    }
    throw invalid(Name.PERF_MEMORY, value, "MiB, from 1 to " + MAX_PERF_MEBIBYTES);
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
