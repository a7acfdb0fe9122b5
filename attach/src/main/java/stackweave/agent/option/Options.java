package stackweave.agent.option;

import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalLong;
import stackweave.jfr.call.CallPatterns;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.control.SampledFeature;
import stackweave.jfr.control.SamplingSettings;
import stackweave.linux.MemoryAccess;

/**
 * The values of the agent's options, {@code name=value,name=value} after {@code =} in -javaagent;
 * {@link Option} is their table. An unknown name or value is an error: a misspelt option must not
 * be ignored silently. Immutable.
 */
public final class Options {
  /** In percent of a core: many times the cost of sampling at 100 Hz. */
  public static final int DEFAULT_DRAIN_PERCENT = 10;

  /** In MiB: enough for 380 threads on 128 CPUs, or 24,000 on 2. */
  public static final int DEFAULT_PERF_MEBIBYTES = 64;

  static final int MAX_MEBIBYTES = 65_536;

  /**
   * In MiB. Below this size sampling would hardly ever find room to begin, and the application
   * might lack the memory that the agent takes while it waits.
   */
  public static final int LEAST_HEAP_MEBIBYTES = 48;

  /**
   * In MiB. A smaller heap may fill while it is sampled, and the application would lack the 2 MiB
   * or more that the agent has by then.
   */
  private static final int DEFAULT_MIN_HEAP_MEBIBYTES = 64;

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
    /** Any; no directive is added. */
    ALL
  }

  private final Map<Option, Object> given = new EnumMap<>(Option.class);
  private final boolean attached;

  private Options(boolean attached) {
    this.attached = attached;
  }

  /** Parses the argument of -javaagent. */
  public static Options parse(String text) throws InvalidOptionException {
    return parse(text, false);
  }

  /**
   * Parses the agent's argument.
   *
   * @param text may be null or blank: all defaults
   * @param attached whether the agent was attached to a running JVM
   * @throws InvalidOptionException with a one-line message for the user
   */
  public static Options parse(String text, boolean attached) throws InvalidOptionException {
    Options options = new Options(attached);
    if (text != null && !text.isBlank()) {
      for (String option : text.split(",", -1)) {
        options.take(option);
      }
      options.takeInterval();
    }
    return options;
  }

  private void take(String text) throws InvalidOptionException {
    int equals = text.indexOf('=');
    String name = (equals < 0 ? text : text.substring(0, equals)).trim();
    Option option = Option.named(name);
    if (option == null) {
      throw new InvalidOptionException(
          "unknown option '" + name + "' (known: " + Option.names() + ")");
    }
    if (given.containsKey(option)) {
      throw new InvalidOptionException("option '" + name + "' is given twice");
    }
    given.put(option, option.parse(equals < 0 ? "" : text.substring(equals + 1).trim()));
  }

  /** The interval is a time, or a number of events if an event is sampled. */
  private void takeInterval() throws InvalidOptionException {
    String text = (String) given.get(Option.INTERVAL);
    if (text == null) {
      return;
    }
    if (event().isCpu()) {
      given.put(Option.INTERVAL, nanos(text));
      return;
    }
    SampledEvent every = event().every(text);
    if (every == null) {
      throw Option.INTERVAL.invalid(text, SampledEvent.INTERVALS);
    }
    given.put(Option.EVENT, every);
    given.remove(Option.INTERVAL);
  }

  private static Long nanos(String text) throws InvalidOptionException {
    OptionalLong nanos = SamplingSettings.interval(text);
    if (nanos.isEmpty()) {
      throw Option.INTERVAL.invalid(text, SamplingSettings.INTERVALS);
    }
    return nanos.getAsLong();
  }

  /** The value of an option; {@code standard} if none was given. */
  private <T> T get(Option option, Class<T> type, T standard) {
    Object value = given.get(option);
    return value == null ? standard : type.cast(value);
  }

  private long number(Option option, long standard) {
    return get(option, Number.class, standard).longValue();
  }

  private boolean isOn(Option option) {
    return get(option, Boolean.class, false);
  }

  private String text(Option option) {
    return get(option, String.class, "");
  }

  /** Whether the agent was attached to a running JVM, not started by -javaagent. */
  public boolean isAttached() {
    return attached;
  }

  /** CPU time between two samples in ns, for recordings whose settings say nothing of it. */
  public long intervalNanos() {
    return number(Option.INTERVAL, SamplingSettings.DEFAULT_INTERVAL_NANOS);
  }

  /** Most frames of a stack, for recordings whose settings say nothing of it. */
  public int depth() {
    return (int) number(Option.DEPTH, SamplingSettings.DEFAULT_DEPTH);
  }

  /** One of {@link SamplingSettings#ENGINES}, for recordings whose settings name none. */
  public String engine() {
    return get(Option.ENGINE, String.class, SamplingSettings.DEFAULT_ENGINE);
  }

  /** Whether only recordings that name the agent's events are sampled. */
  public boolean explicit() {
    return isOn(Option.SAMPLE);
  }

  /** Directory for replay files of incomplete stacks; empty: none are written. */
  public String recordFailures() {
    return text(Option.RECORD_FAILURES);
  }

  /** Absolute path of the file that switches sampling off; empty: the default paths. */
  public String switchFile() {
    return text(Option.SWITCH);
  }

  /** Long-term CPU limit of the drain thread, in percent of a core. */
  public int drainPercent() {
    return (int) number(Option.DRAIN, DEFAULT_DRAIN_PERCENT);
  }

  /** Limit of kernel memory for perf events, in bytes. */
  public long perfMemoryBytes() {
    return number(Option.PERF_MEMORY, DEFAULT_PERF_MEBIBYTES) << 20;
  }

  /** Smallest maximum heap of a JVM that is sampled, in MiB. */
  public int minHeapMebibytes() {
    return (int) number(Option.MIN_HEAP, DEFAULT_MIN_HEAP_MEBIBYTES);
  }

  /** Whether classes of the JDK may be instrumented while sampling. */
  public Hooks hooks() {
    return get(Option.HOOKS, Hooks.class, Hooks.AUTO);
  }

  /** How the process reads its own memory. */
  public MemoryAccess memory() {
    return get(Option.MEMORY, MemoryAccess.class, MemoryAccess.AUTO);
  }

  /** Which of the JVM's compilers may compile the agent's classes. */
  public Jit jit() {
    return get(Option.JIT, Jit.class, Jit.C1);
  }

  /** Whether JFR's chunks get the samples as JFR's own events, too. */
  public boolean weave() {
    return isOn(Option.WEAVE);
  }

  /** What is recorded beside samples, for recordings whose settings say nothing of it. */
  public Map<SampledFeature, Long> features() {
    Map<SampledFeature, Long> features = new EnumMap<>(SampledFeature.class);
    put(features, SampledFeature.WAITING, number(Option.WALL, SampledFeature.OFF));
    put(features, SampledFeature.BLOCKED, number(Option.BLOCKED, SampledFeature.OFF));
    put(
        features,
        SampledFeature.MEMORY,
        isOn(Option.NATIVE_MEMORY) ? SampledFeature.ON : SampledFeature.OFF);
    return features;
  }

  private static void put(Map<SampledFeature, Long> features, SampledFeature feature, long value) {
    if (value != SampledFeature.OFF) {
      features.put(feature, value);
    }
  }

  /** Which waiting threads are looked at: {@link WallFilter#SYNTAX}; empty: all but the JVM's. */
  public String wallThreads() {
    return text(Option.WALL_THREADS);
  }

  /** Native methods whose calls are timed: {@link CallPatterns#SYNTAX}; empty: none. */
  public String calls() {
    return text(Option.CALLS);
  }

  /** What is sampled, with its interval if it is not CPU time. */
  public SampledEvent event() {
    return get(Option.EVENT, SampledEvent.class, SampledEvent.CPU);
  }

  /**
   * Whether classes of the JDK may be instrumented. In a running JVM only if that is asked for,
   * since on JDK 17 the first retransformation of a loaded class deoptimizes all compiled code.
   */
  public boolean mayInstrument() {
    return hooks() != Hooks.OFF && (hooks() != Hooks.AUTO || !attached);
  }

  /** A number of MiB, as text for users. */
  static String mebibytes(int least) {
    return "MiB, from " + least + " to " + MAX_MEBIBYTES;
  }

  /**
   * Whether a JVM's heap is too small to be sampled. Serial counts one survivor space less than its
   * size ({@code DefNewGeneration::max_capacity}).
   *
   * @param heapBytes {@link Runtime#maxMemory}
   */
  public boolean isTooSmall(long heapBytes) {
    return heapBytes < ((long) minHeapMebibytes() << 20) / 16 * 15;
  }
}
