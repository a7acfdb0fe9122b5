package stackweave.engine.perf;

import java.util.BitSet;
import stackweave.engine.CpuSet;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineFigure;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.EngineSink;
import stackweave.engine.EngineState;
import stackweave.engine.EngineStatistics;
import stackweave.engine.RefusalText;
import stackweave.engine.bpf.PidNamespace;
import stackweave.jfr.control.EngineKind;
import stackweave.linux.SystemCalls;

/**
 * Samples one process by an event for each CPU ({@link CpuEvents}). Threads have no events, so
 * neither switches between them nor their starts cost anything. For the drain thread, except {@link
 * #wake}.
 */
public final class PerfCpuEngine extends PerfEngine implements EndedThreads.Samples {
  private static final EngineKind KIND = EngineKind.PERF;

  static final String NOTE_WITHOUT_TICKS =
      "what runs on CPUs that are to run without ticks (nohz_full) is not sampled";

  private final BitSet withoutTicks;
  private final int[] cpus;
  private final String note;
  private final EndedThreads endedThreads;

  /** Null before {@link #open}. */
  private CpuEvents events;

  private CpuRecords records;

  private PerfCpuEngine(
      EngineConfig config, PerfBudget budget, SystemCalls calls, BitSet withoutTicks) {
    super(KIND, config, budget, calls);
    this.withoutTicks = withoutTicks;
    int[] all = CpuSet.presentOf(process);
    this.cpus = CpuSet.without(withoutTicks, all);
    this.note = cpus.length < all.length ? NOTE_WITHOUT_TICKS : "";
    this.endedThreads = new EndedThreads(calls, process);
  }

  /**
   * Starts on the calling thread, which is not sampled.
   *
   * @throws EngineRefusedException if it can't run; nothing is held then
   */
  public static PerfCpuEngine start(EngineConfig config, PerfBudget budget)
      throws EngineRefusedException {
    SystemCalls calls =
        SystemCalls.current().orElseThrow(() -> RefusalText.PERF_ARCHITECTURE.of(KIND, 0));
    PerfCpuEngine engine = new PerfCpuEngine(config, budget, calls, CpuSet.withoutTicks());
    try {
      engine.open();
      return engine;
    } catch (EngineRefusedException | RuntimeException | Error e) {
      engine.close();
      throw e;
    }
  }

  private void open() throws EngineRefusedException {
    if (!PidNamespace.isSeen(process)) {
      throw RefusalText.PERF_NAMESPACE.of(KIND, 0);
    }
    openWakeup();
    events = CpuEvents.open(calls, config, cpus, drainTid);
    if (!events.filter().add(pid)) {
      throw PerfRefusals.noFilter(true);
    }
    rings = events.rings();
    stackBytes = events.stackBytes();
    records =
        new CpuRecords(
            pid, drainTid, events.periods(), calls.architecture(), endedThreads, events.filter());
    merge(records);
    begun();
    events.enable();
  }

  @Override
  int busyMillis() {
    return events.busyMillis();
  }

  @Override
  public EngineState state() {
    return !toBeReplaced && events.areOlderPartsTaken() ? EngineState.DRAIN_SOON : super.state();
  }

  @Override
  public boolean isPast(long timeNanos) {
    return stopped || RingMerge.isPast(timeNanos);
  }

  @Override
  public int drain(long untilTimeNanos) {
    return merge.drain(untilTimeNanos, stopped, records);
  }

  @Override
  int deliver(long untilTimeNanos, EngineSink sink) {
    return endedThreads.deliver(untilTimeNanos, this, sink);
  }

  /** An event may also belong to a CPU that no thread may use any more, or that was offline. */
  @Override
  boolean isOutgrown() {
    return rings.isMisplaced(process, withoutTicks, true);
  }

  @Override
  void end() {
    events.disable();
    readLost();
  }

  private void readLost() {
    lost = Math.max(events.lost(), records.lost());
  }

  @Override
  public EngineStatistics statistics() {
    if (!stopped) {
      readLost();
    }
    return statistics(1 + events.filter().descriptors())
        .set(EngineFigure.CPU_USED, cpuUsed())
        .set(EngineFigure.CPU_COUNTED, records.coveredNanos() + lost * config.intervalNanos())
        .set(EngineFigure.CPU_COVERED, records.coveredNanos());
  }

  @Override
  public String note() {
    String refused = events.filter().note();
    return note + (note.isEmpty() || refused.isEmpty() ? "" : "; ") + refused;
  }

  @Override
  void closeParts() {
    if (events != null) {
      events.close();
    }
    endedThreads.close();
  }
}
