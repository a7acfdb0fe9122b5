package stackweave.agent.cli.record;

import java.util.Iterator;
import java.util.Map;
import picocli.CommandLine.Option;
import stackweave.agent.cli.common.UsageException;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.control.SamplingSettings;
import stackweave.jfr.event.NativeAllocation;
import stackweave.jfr.event.NativeMemory;
import stackweave.jfr.event.NativeSample;
import stackweave.jfr.read.choice.SampleChoice;

/** The options of sampling, which are checked before the target is accessed. */
public class SamplingOptions {
  @Option(
      names = "--interval",
      paramLabel = "TIME",
      description =
          "CPU time between two samples of a thread: "
              + SamplingSettings.INTERVALS
              + ", the default. With --event a number of events.")
  private String interval;

  @Option(
      names = "--event",
      paramLabel = "NAME",
      description =
          "Samples an event instead of CPU time: page-faults, context-switches, cycles,"
              + " cache-misses, branch-misses, a tracepoint such as sched:sched_switch, a function"
              + " such as libc.so.6:malloc. The commands that read show them with --event NAME.")
  private String event;

  @Option(
      names = "--native-memory",
      description =
          "Records which stacks touch native memory first, and what of it is given back. The"
              + " commands that read show the net growth with --native-memory.")
  private boolean nativeMemory;

  @Option(
      names = "--native-allocations",
      description =
          "Records which stacks allocate by malloc what is not freed, by probes at each call: where"
              + " it is called less than 20,000 times a second, and as root. The commands that read"
              + " show what is live with --native-allocations.")
  private boolean nativeAllocations;

  @Option(
      names = "--engine",
      paramLabel = "NAME",
      completionCandidates = Engines.class,
      description = "The engine to try first: ${COMPLETION-CANDIDATES}. Default: auto.")
  private String engine;

  /** Refuses an invalid value of an option, as picocli does. */
  final void must(boolean isValid, String option, String problem) throws UsageException {
    if (!isValid) {
      throw new UsageException("Invalid value for option '" + option + "': " + problem);
    }
  }

  private SampledEvent sampled() throws UsageException {
    SampledEvent sampled = event == null ? SampledEvent.CPU : SampledEvent.parse(event);
    must(sampled != null, "--event", "'" + event + "' is none of " + SampledEvent.SYNTAX);
    return sampled;
  }

  /** Whether an event other than CPU time is asked for. */
  public final boolean hasEvent() throws UsageException {
    return !sampled().isCpu();
  }

  /** Whether anything beside samples of CPU time, or an engine other than perf, is asked for. */
  boolean isMoreThanCpu() {
    boolean isOther = engine != null && !engine.equals(EngineKind.PERF.label());
    return event != null || isOther || nativeMemory || nativeAllocations;
  }

  /** The event as recordings name it. */
  final String event() throws UsageException {
    return sampled().name();
  }

  /** The samples that these options ask for: of the event, or else of CPU time. */
  public final SampleChoice choice() throws UsageException {
    return hasEvent() ? SampleChoice.ofEvent(event()) : SampleChoice.CPU;
  }

  /** The event whose samples are asked for, or the memory; null for neither. */
  final SampleChoice shownEvents() throws UsageException {
    if (hasEvent()) {
      return choice();
    }
    return nativeAllocations
        ? SampleChoice.ofEvent(SampledEvent.NATIVE_ALLOCATIONS)
        : nativeMemory ? SampleChoice.ofEvent(SampledEvent.NATIVE_MEMORY) : null;
  }

  /**
   * The settings that ask for samples, with those that were given: event, '#', setting.
   *
   * @throws UsageException if a value is not valid
   */
  public Map<String, String> eventSettings() throws UsageException {
    Map<String, String> all = SamplingWishes.usual();
    SampledEvent sampled = sampled();
    if (interval != null) {
      must(
          sampled.isCpu()
              ? SamplingSettings.interval(interval).isPresent()
              : sampled.every(interval) != null,
          "--interval",
          "'"
              + interval
              + "' is not "
              + (sampled.isCpu() ? SamplingSettings.INTERVALS : SampledEvent.INTERVALS));
      all.put(NativeSample.NAME + "#interval", interval);
    }
    if (engine != null) {
      must(
          SamplingSettings.isEngine(engine),
          "--engine",
          "there is no engine '" + engine + "'" + SamplingSettings.meantEngine(engine));
      all.put(NativeSample.NAME + "#engine", engine);
    }
    if (event != null) {
      all.put(NativeSample.NAME + "#event", event);
    }
    if (nativeMemory) {
      all.put(NativeMemory.NAME + "#enabled", "true");
    }
    if (nativeAllocations) {
      all.put(NativeAllocation.NAME + "#enabled", "true");
    }
    return all;
  }

  /** The names of the engines, for the help text. */
  static final class Engines implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return SamplingSettings.engineNames().iterator();
    }
  }
}
