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
import stackweave.linux.GuardedCall;
import stackweave.linux.SystemCalls;

/**
 * Samples one process by an event for each CPU ({@link CpuEvents}). Threads have no events, so
 * neither switches between them nor their starts cost anything. Of another process it also samples
 * other events that the kernel or the processor counts: events of its threads would take a
 * descriptor here for each thread and CPU. For the drain thread, except {@link #wake}.
 */
public final class PerfCpuEngine extends PerfEngine implements EndedThreads.Samples {
  private static final EngineKind KIND = EngineKind.PERF;

  static final String NOTE_WITHOUT_TICKS =
      "what runs on CPUs that are to run without ticks (nohz_full) is not sampled";

  private static final String NOTE_UNFILTERED =
      "no BPF program may filter samples, so the kernel copies those of all processes, of which the"
          + " others' are thrown away: CAP_BPF lifts it";

  /** {@link #filter} of an engine that has its own. */
  private static final int OWN = -1;

  /** A program that decides which samples are taken, if it runs beside another engine. */
  private final int filter;

  private final BitSet withoutTicks;
  private final int[] cpus;
  private final String note;
  private final EndedThreads endedThreads;

  /** Null before {@link #open}. */
  private CpuEvents events;

  private CpuRecords records;

  private PerfCpuEngine(EngineConfig config, PerfBudget budget, SystemCalls calls, int filter) {
    super(KIND, config, budget, calls);
    this.filter = filter;
    // Other events than CPU time come with what runs, and need no tick.
    this.withoutTicks = config.event().isCpu() ? CpuSet.withoutTicks() : new BitSet();
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
    return start(config, budget, OWN);
  }

  /**
   * Starts beside another engine, which watches the CPUs, for an event of another process other
   * than CPU time.
   *
   * @param filter a BPF program that decides which samples are taken, and takes none of other
   *     processes; negative if it could not be loaded
   * @throws EngineRefusedException if it can't run; nothing is held then
   */
  public static PerfCpuEngine startBeside(EngineConfig config, PerfBudget budget, int filter)
      throws EngineRefusedException {
    if (filter < 0) {
      throw PerfRefusals.noFilter(config.callPolicy().allows(GuardedCall.BPF));
    }
    return start(config, budget, filter);
  }

  private static PerfCpuEngine start(EngineConfig config, PerfBudget budget, int filter)
      throws EngineRefusedException {
    return opened(new PerfCpuEngine(config, budget, calls(KIND), filter));
  }

  @Override
  void open() throws EngineRefusedException {
    if (!PidNamespace.isSeen(process)) {
      throw RefusalText.PERF_NAMESPACE.of(KIND, 0);
    }
    openWakeup();
    events = CpuEvents.open(calls, config, cpus, drainTid, filter);
    if (events.filter() != null && !events.filter().add(pid)) {
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

  /** Within {@link #drain}: the address of the present sample, which is none of CPU time. */
  public long address() {
    return records.address();
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

  /**
   * An event of CPU time may also belong to a CPU that no thread may use any more, or that was
   * offline; that is not seen of other events, which may just not have happened.
   */
  @Override
  boolean isOutgrown() {
    return filter == OWN && rings.isMisplaced(process, withoutTicks, config.event().isCpu());
  }

  @Override
  void end() {
    events.disable();
    readLost();
  }

  private void readLost() {
    lost = Math.max(events.lost(), records.lost());
    if (records.foreign() > 0) {
      // Unfiltered: nobody knows whose they were, so they are divided as those that came.
      lost = lost * records.samples() / (records.samples() + records.foreign());
    }
  }

  @Override
  public EngineStatistics statistics() {
    if (!stopped) {
      readLost();
    }
    EngineStatistics statistics =
        statistics(1 + (events.filter() == null ? 0 : events.filter().descriptors()));
    if (!config.event().isCpu()) {
      // What the events themselves count is of all processes.
      long interval = config.event().interval();
      return statistics
          .set(EngineFigure.EVENT_INTERVAL, interval)
          .set(EngineFigure.EVENTS_COUNTED, records.coveredNanos() + lost * interval)
          .set(EngineFigure.EVENTS_COVERED, records.coveredNanos());
    }
    return statistics
        .set(EngineFigure.CPU_USED, cpuUsed())
        .set(EngineFigure.CPU_COUNTED, records.coveredNanos() + lost * config.intervalNanos())
        .set(EngineFigure.CPU_COVERED, records.coveredNanos());
  }

  @Override
  public String note() {
    String refused = filter == OWN ? NOTE_UNFILTERED : "";
    if (events.filter() != null) {
      refused = events.filter().note();
    }
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
