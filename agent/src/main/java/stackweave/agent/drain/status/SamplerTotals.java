package stackweave.agent.drain.status;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;
import stackweave.agent.drain.sample.SampleCounts;
import stackweave.agent.engine.EngineStatistics;
import stackweave.hotspot.HotSpotStatistics;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.status.Breakdown;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.status.SamplerFigures;
import stackweave.jfr.store.MissedCpu;
import stackweave.unwind.StopReason;
import stackweave.unwind.snapshot.SpliceOutcome;

/**
 * How sampling went since the agent began, over all engines that ran one after the other. Belongs
 * to the drain thread; the next drain thread takes over when the one before has ended.
 */
public final class SamplerTotals {
  public final SampleCounts counts = new SampleCounts();
  public String engine = "";
  public String engineReason = "";
  public String note = "";

  /** How often the store met a limit. */
  public long storeResets;

  /** How memory is read, where that is not the usual way. */
  public String memoryNote = "";

  /** What the running engine says of itself. */
  public String engineNote = "";

  /** What is weaker with this engine on a kernel this old; "" if nothing. */
  public String kernelNote = "";

  /** What the throttle says of itself. */
  public String throttleNote = "";

  /** Why threads are not told of as they start; "" if they are, or need not be. */
  public String hookNote = "";

  /** What was not understood in recordings' settings, one text; written by any thread. */
  public volatile String settingsNote = "";

  /** What of the CPU time that is asked for has no engine; shared with other threads. */
  public final MissedCpu missed = new MissedCpu();

  public long intervalNanos;

  /** The shortest interval that the running engine can reach; 0 while none runs. */
  public long reachedIntervalNanos;

  /** All of {@link #missed} at the moment. */
  public long missedNanos;

  public long drainCpuNanos;
  public long earlierDrainCpuNanos;

  /** For other threads. */
  private volatile SamplerFigures latest;

  private final Map<String, Long> earlierLinks = new LinkedHashMap<>();
  private final Map<String, Long> earlierResets = new LinkedHashMap<>();
  private HotSpotStatistics decoder;

  /** Of the engines that have ended. */
  private final Counters earlier = new Counters();

  /** From the request for samples until samples were taken; 0 while none are. */
  public long startDelayNanos;

  /** Takes over the figures of the decoder that worked before; null where there is none. */
  public void decodeWith(HotSpotStatistics statistics) {
    earlierLinks.putAll(links());
    earlierResets.putAll(resetsOfDecoder());
    decoder = statistics;
  }

  /** Takes over the figures of an engine that has ended. */
  public void add(EngineStatistics ended) {
    add(ended, earlier);
  }

  /** The figures that were published last, or null; any thread. */
  public SamplerFigures latest() {
    return latest;
  }

  /** Shows all figures to other threads. */
  public void publish(EngineStatistics running) {
    latest = figures(running);
  }

  /**
   * All figures.
   *
   * @param running those of the engine that runs, or null
   */
  SamplerFigures figures(EngineStatistics running) {
    Counters counters = counts.counters.copy().plus(earlier);
    counters.set(Counter.INTERVAL, intervalNanos);
    counters.set(Counter.DRAIN_CPU, drainCpuNanos);
    counters.set(Counter.CPU_MISSED, missedNanos);
    counters.add(Counter.CPU_USED, missedNanos);
    if (running != null) {
      add(running, counters);
      counters.set(Counter.START_DELAY, startDelayNanos);
      counters.set(
          Counter.INTERVAL_REACHED,
          reachedIntervalNanos > intervalNanos ? reachedIntervalNanos : 0);
      counters.set(Counter.THREADS_SKIPPED, running.skippedThreads());
      counters.set(Counter.KERNEL_MEMORY, running.kernelBytes());
      counters.set(Counter.KERNEL_MEMORY_BUDGET, running.kernelBudgetBytes());
    }
    return new SamplerFigures(engine, engineReason, notes(), counters, breakdowns());
  }

  /** Adds what only grows while an engine runs. */
  private static void add(EngineStatistics engine, Counters counters) {
    counters.add(Counter.LOST, engine.lost());
    counters.add(Counter.CPU_USED, engine.cpuUsedNanos());
    counters.add(Counter.CPU_COVERED, engine.cpuCoveredNanos());
    counters.add(Counter.CPU_KERNEL, engine.cpuKernelNanos());
    if (engine.kind() != EngineKind.TIMER) { // whose are signals that others sent, and no samples
      counters.add(Counter.FOREIGN, engine.foreign());
    }
  }

  private Map<Breakdown, Map<String, Long>> breakdowns() {
    Map<Breakdown, Map<String, Long>> all = new EnumMap<>(Breakdown.class);
    all.put(Breakdown.ENDS, ends());
    all.put(Breakdown.SPLICES, splices());
    all.put(Breakdown.LINKS, links());
    all.put(Breakdown.RESETS, resets());
    return all;
  }

  private String notes() {
    String failure = counts.lastFailure == null ? "" : "last failure: " + counts.lastFailure;
    return joined(
        note,
        settingsNote,
        memoryNote,
        throttleNote,
        intervalNote(),
        engineNote,
        kernelNote,
        hookNote,
        failure);
  }

  /** What the engine can't reach is not what the samples are of. */
  private String intervalNote() {
    return engine.isEmpty() || reachedIntervalNanos <= intervalNanos
        ? ""
        : "interval: asked "
            + Timespans.format(intervalNanos)
            + ", about "
            + Timespans.format(reachedIntervalNanos)
            + ": this kernel's clock tick, at which it looks at CPU timers";
  }

  /** Those that say something; no stream, whose lambdas would cost a full heap too much. */
  private static String joined(String... notes) {
    StringJoiner all = new StringJoiner("; ");
    for (String each : notes) {
      if (!each.isEmpty()) {
        all.add(each);
      }
    }
    return all.toString();
  }

  private Map<String, Long> links() {
    Map<String, Long> byLabel = new LinkedHashMap<>(earlierLinks);
    if (decoder != null) {
      byLabel.merge("checked", decoder.links(), Long::sum);
      byLabel.merge("read again", decoder.mendedLinks(), Long::sum);
      byLabel.merge("from the copy of the time", decoder.formerCode(), Long::sum);
      byLabel.merge("stale code", decoder.staleFrames() + decoder.tooOld(), Long::sum);
      byLabel.merge("missing frame", decoder.missingFrames(), Long::sum);
    }
    return byLabel;
  }

  private Map<String, Long> resetsOfDecoder() {
    Map<String, Long> byLabel = new LinkedHashMap<>(earlierResets);
    if (decoder != null) {
      byLabel.merge("code", decoder.cacheResets(), Long::sum);
      byLabel.merge("names", decoder.nameResets(), Long::sum);
    }
    return byLabel;
  }

  private Map<String, Long> resets() {
    Map<String, Long> byLabel = resetsOfDecoder();
    byLabel.put("stacks", storeResets);
    return byLabel;
  }

  private Map<String, Long> ends() {
    Map<String, Long> byLabel = new LinkedHashMap<>();
    for (StopReason reason : StopReason.values()) {
      byLabel.put(reason.label(), counts.ends[reason.code()]);
    }
    return byLabel;
  }

  private Map<String, Long> splices() {
    Map<String, Long> byLabel = new LinkedHashMap<>();
    for (SpliceOutcome outcome : SpliceOutcome.values()) {
      if (outcome != SpliceOutcome.NOT_NEEDED) {
        byLabel.put(outcome.label(), counts.splices[outcome.ordinal()]);
      }
    }
    return byLabel;
  }
}
