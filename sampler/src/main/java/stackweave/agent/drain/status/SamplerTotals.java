package stackweave.agent.drain.status;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import stackweave.agent.decode.SampleCounts;
import stackweave.agent.message.Notes;
import stackweave.engine.EngineStatistics;
import stackweave.hotspot.model.UnwindCounters;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.status.Breakdown;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.status.SamplerFigures;
import stackweave.jfr.store.MissedCpu;
import stackweave.unwind.StopReason;
import stackweave.unwind.snapshot.SpliceOutcome;
import stackweave.unwind.walk.Found;

/**
 * Totals since the agent started, over all engines. Fields are written by the drain thread only,
 * unless they say otherwise; other threads read {@link #latest}. One drain thread follows the
 * other.
 */
public final class SamplerTotals {
  public final SampleCounts counts = new SampleCounts();
  public String engine = "";
  public String engineReason = "";
  public String note = "";

  /** How often the store reached a limit and was emptied. */
  public long storeResets;

  /** Notes on the running engine and its features, or empty. */
  public String engineNotes = "";

  /** What was not understood in recordings' settings, or empty; written by any thread. */
  public volatile String settingsNote = "";

  /** CPU time during which samples were requested and no engine ran; thread-safe. */
  public final MissedCpu missed = new MissedCpu();

  public long intervalNanos;

  /** The shortest interval that the running engine can reach; 0 while none runs. */
  public long reachedIntervalNanos;

  /** The present total of {@link #missed}, in ns. */
  public long missedNanos;

  public long drainCpuNanos;
  public long earlierDrainCpuNanos;

  /** The published figures, for other threads. */
  private volatile SamplerFigures latest;

  private final Map<String, Long> earlierLinks = new LinkedHashMap<>();
  private final Map<String, Long> earlierResets = new LinkedHashMap<>();
  private UnwindCounters decoder;

  /** Sums of the engines that have ended. */
  private final Counters earlier = new Counters();

  /** Time from the request until samples were taken, in ns; 0 before that. */
  public long startDelayNanos;

  /** Adds the previous decoder's figures to the totals and switches to another; null for none. */
  public void decodeWith(UnwindCounters statistics) {
    earlierLinks.putAll(links());
    earlierResets.putAll(resetsOfDecoder());
    decoder = statistics;
  }

  /** Adds the figures of an engine that has ended. */
  public void add(EngineStatistics ended) {
    ended.addSums(earlier);
  }

  /** The last published figures, or null. Any thread. */
  public SamplerFigures latest() {
    return latest;
  }

  /**
   * Publishes the figures to other threads.
   *
   * @param running those of the running engine, or null
   */
  public void publish(EngineStatistics running) {
    SamplerFigures before = latest;
    SamplerFigures now = figures(running);
    // Differences of several clocks, which must not decrease in a recording.
    if (before != null && now.get(Counter.CPU_USED) < before.get(Counter.CPU_USED)) {
      now = now.with(now.counters().set(Counter.CPU_USED, before.get(Counter.CPU_USED)));
    }
    latest = now;
  }

  /**
   * The present figures.
   *
   * @param running those of the running engine, or null
   */
  SamplerFigures figures(EngineStatistics running) {
    Counters counters = counts.counters.copy().plus(earlier);
    counters.set(Counter.INTERVAL, intervalNanos);
    counters.set(Counter.DRAIN_CPU, drainCpuNanos);
    counters.set(Counter.CPU_MISSED, missedNanos);
    counters.add(Counter.CPU_USED, missedNanos);
    if (running != null) {
      running.addAll(counters);
      counters.set(Counter.START_DELAY, startDelayNanos);
      counters.set(
          Counter.INTERVAL_REACHED,
          reachedIntervalNanos > intervalNanos ? reachedIntervalNanos : 0);
    }
    return new SamplerFigures(engine, engineReason, notes(), counters, breakdowns());
  }

  private Map<Breakdown, Map<String, Long>> breakdowns() {
    Map<Breakdown, Map<String, Long>> all = new EnumMap<>(Breakdown.class);
    all.put(Breakdown.ENDS, ends());
    all.put(Breakdown.SPLICES, splices());
    all.put(Breakdown.LINKS, links());
    all.put(Breakdown.RESETS, resets());
    all.put(Breakdown.FOUND, found());
    return all;
  }

  private String notes() {
    String failure = counts.lastFailure == null ? "" : "last failure: " + counts.lastFailure;
    return new Notes()
        .add(note)
        .add(settingsNote)
        .add(intervalNote())
        .add(engineNotes)
        .add(failure)
        .toString();
  }

  /** A note if the engine can't reach the interval that was asked for. */
  private String intervalNote() {
    return engine.isEmpty() || reachedIntervalNanos <= intervalNanos
        ? ""
        : "interval: asked "
            + Timespans.format(intervalNanos)
            + ", about "
            + Timespans.format(reachedIntervalNanos)
            + ": this kernel's clock tick, at which it looks at CPU timers";
  }

  private Map<String, Long> links() {
    Map<String, Long> byLabel = new LinkedHashMap<>(earlierLinks);
    if (decoder != null) {
      byLabel.merge("checked", decoder.links, Long::sum);
      byLabel.merge("read again", decoder.mendedLinks, Long::sum);
      byLabel.merge("from the copy of the time", decoder.formerCode, Long::sum);
      byLabel.merge("stale code", decoder.staleFrames + decoder.tooOld, Long::sum);
      byLabel.merge("missing frame", decoder.missingFrames, Long::sum);
    }
    return byLabel;
  }

  private Map<String, Long> resetsOfDecoder() {
    Map<String, Long> byLabel = new LinkedHashMap<>(earlierResets);
    if (decoder != null) {
      byLabel.merge("code", decoder.cacheResets, Long::sum);
      byLabel.merge("names", decoder.nameResets, Long::sum);
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

  private Map<String, Long> found() {
    Map<String, Long> byLabel = new LinkedHashMap<>();
    for (Found way : Found.values()) {
      if (way != Found.TABLES) {
        byLabel.put(way.label(), counts.found[way.code()]);
      }
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
