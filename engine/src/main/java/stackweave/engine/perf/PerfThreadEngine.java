package stackweave.engine.perf;

import stackweave.cpu.PerfRegisters;
import stackweave.engine.CpuCost;
import stackweave.engine.CpuSet;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineFigure;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.EngineSink;
import stackweave.engine.EngineStatistics;
import stackweave.engine.RefusalText;
import stackweave.engine.perf.event.EventRefusals;
import stackweave.engine.perf.event.KernelEvent;
import stackweave.engine.perf.event.KernelEvents;
import stackweave.engine.perf.event.UprobeCost;
import stackweave.jfr.control.EngineKind;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;

/**
 * Samples by perf_event_open: after each interval of CPU time the kernel writes the thread's
 * registers and a copy of its stack into the CPU's ring. No code of the agent runs on that thread
 * and no signal is sent. Started by {@link stackweave.engine.choice.EngineChooser}; for the drain
 * thread, except {@link #wake}.
 *
 * <p>The package's comment says how events, rings and records are divided among the classes here.
 */
public final class PerfThreadEngine extends PerfEngine {
  private static final int TASK_PERF_EVENTS_DISABLE = 31;
  private static final int TASK_PERF_EVENTS_ENABLE = 32;

  /** Time between two events of a CPU that the rings have room for while it waits, in ns. */
  private static final long EVENT_NANOS = 50_000;

  private static final String SWITCHES =
      "a perf event of each thread is stopped and started when threads are switched, which can halve a"
          + " program that does so often; engines perf and timer do not have that cost";

  /** Null for CPU time. */
  private KernelEvent event;

  /** Time that the kernel takes for each call of a function, if the event is a uprobe. */
  private double trapNanos;

  /** From {@link EngineConfig#intervalNanos} or {@link EngineConfig#event}. */
  private final long interval;

  /** Null unless it runs beside another engine, which watches the CPUs. */
  private final Beside beside;

  private final PerfAttr.Features newest;

  private final boolean kernel;
  private final PerfRegisters registers;
  private final int[] cpus;

  private final RingMerge.Target watched = this::record;
  private PerfAttr.Features features;
  private PerfEvents events;
  private PerfRecords records;
  private long kernelNanos;
  private long heldBytes;
  private ThreadWatch watch;

  /** Whether it has ended because of too many threads. */
  private boolean ended;

  /**
   * Settings for running beside another engine.
   *
   * @param ringBytes most bytes of a CPU's ring, a power of two
   * @param filter a BPF program that decides which samples are taken; −1 for all
   */
  private record Beside(int ringBytes, int filter) {}

  private PerfThreadEngine(
      EngineKind kind,
      EngineConfig config,
      PerfBudget budget,
      SystemCalls calls,
      PerfAttr.Features newest,
      Beside beside) {
    super(kind, config, budget, calls);
    this.newest = newest;
    this.beside = beside;
    this.interval = config.event().isCpu() ? config.intervalNanos() : config.event().interval();
    this.kernel = kind == EngineKind.PERF_THREAD;
    this.registers = PerfRegisters.of(calls.architecture());
    this.cpus = process.isOwn() ? CpuSet.ofProcess() : CpuSet.presentOf(process);
    this.stackBytes = Math.min(config.stackBytes(), PerfAttr.MAX_STACK_BYTES);
  }

  /**
   * Starts on the calling thread, which is not sampled.
   *
   * @throws EngineRefusedException if it can't run; nothing is held then
   */
  public static PerfThreadEngine start(EngineKind kind, EngineConfig config, PerfBudget budget)
      throws EngineRefusedException {
    return start(kind, config, budget, PerfAttr.Features.LOST_COUNT);
  }

  /**
   * As {@link #start(EngineKind, EngineConfig, PerfBudget)}, with at most these features, as on an
   * older kernel; for tests.
   */
  public static PerfThreadEngine start(
      EngineKind kind, EngineConfig config, PerfBudget budget, PerfAttr.Features newest)
      throws EngineRefusedException {
    return start(kind, config, budget, newest, null);
  }

  /**
   * Starts beside another engine, for an event other than CPU time. The end of the other engine
   * also ends this one, since both have their events in one thread.
   *
   * @param budget the budget of this engine
   * @param ringBytes most bytes of a CPU's ring, a power of two
   * @param filter a BPF program that decides which samples are taken; −1 for all
   */
  public static PerfThreadEngine startBeside(
      EngineKind kind, EngineConfig config, PerfBudget budget, int ringBytes, int filter)
      throws EngineRefusedException {
    Beside beside = new Beside(ringBytes, filter);
    return start(kind, config, budget, PerfAttr.Features.LOST_COUNT, beside);
  }

  private static PerfThreadEngine start(
      EngineKind kind,
      EngineConfig config,
      PerfBudget budget,
      PerfAttr.Features newest,
      Beside beside)
      throws EngineRefusedException {
    return opened(new PerfThreadEngine(kind, config, budget, calls(kind), newest, beside));
  }

  @Override
  void open() throws EngineRefusedException {
    findEvent();
    features = probe();
    budget.admit(kind, cpus.length, System.nanoTime());
    openWakeup();
    openRings();
    records = new PerfRecords(pid, kernel, calls.architecture(), cpus, config.event(), interval);
    merge(records);
    writeSamplingAttr(attr, features);
    events = new PerfEvents(calls, kind, attr, features.lostCount());
    if (beside != null) {
      events.setFilter(beside.filter());
    }
    attach();
    watch = new ThreadWatch(budget, rings.count(), System.nanoTime());
    budget.begun();
    begun();
  }

  /** Attaches all threads and enables their events. */
  public void attach() throws EngineRefusedException {
    try {
      events.attach(process, rings.all(), drainTid, PerfEvents.fileDescriptorBudget(scratch));
    } catch (EngineRefusedException e) {
      throw worded(e);
    }
    if (event == null) {
      Libc.prctl(TASK_PERF_EVENTS_ENABLE, 0, 0, 0, 0);
    }
  }

  private void findEvent() throws EngineRefusedException {
    if (config.event().isCpu()) {
      return;
    }
    event = KernelEvents.find(kind, config.event(), process);
    if (!kernel && !event.inUserMode()) {
      throw RefusalText.EVENT_NOT_IN_USER_MODE.of(kind, 0, config.event().name());
    }
    trapNanos = event.path() == null ? 0 : UprobeCost.nanos(calls, event.type());
  }

  /** A refusal with a text that names the event. */
  private EngineRefusedException worded(EngineRefusedException e) {
    return event == null ? e : EventRefusals.open(config.event(), e.refusal());
  }

  private PerfAttr.Features probe() throws EngineRefusedException {
    try {
      return PerfEvents.probe(
          calls, kind, attr, drainTid, newest, of -> writeSamplingAttr(attr, of));
    } catch (EngineRefusedException e) {
      throw worded(e);
    }
  }

  private void writeSamplingAttr(NativeBuffer target, PerfAttr.Features of) {
    PerfAttr.sampling(target.bytes(), of, kernel, config.intervalNanos(), stackBytes, registers);
    if (event != null) {
      PerfAttr.event(target.bytes(), event, interval);
    }
  }

  /** Maps the largest rings that the kernel grants for all CPUs. */
  private void openRings() throws EngineRefusedException {
    int ringBytes = event == null ? PerfSizes.RING_BYTES : PerfSizes.EVENT_RING_BYTES;
    ringBytes = beside == null ? ringBytes : beside.ringBytes();
    int most = PerfSizes.ringBytes(cpus.length, kernel ? ringBytes : PerfSizes.USER_RING_BYTES);
    rings =
        PerfRings.openOwned(calls, attr, features, drainTid, cpus, most, PerfSizes.MIN_RING_BYTES);
    rings.check(kind, kernel, cpus.length, PerfSizes.MIN_RING_BYTES);
    // Events come in bursts: a ring is better used for many samples than for deep ones.
    stackBytes =
        PerfSizes.stackBytes(
            rings.bytes(),
            config.intervalNanos(),
            event == null ? stackBytes : PerfSizes.MIN_STACK_BYTES);
  }

  /** Within {@link #drain}: the address of the present sample; 0 for none. */
  public long address() {
    return records.address();
  }

  @Override
  int busyMillis() {
    long each = event == null ? config.intervalNanos() : EVENT_NANOS;
    return PerfSizes.busyMillis(rings.bytes(), each, stackBytes);
  }

  @Override
  boolean awaitRings(int millis) {
    boolean isReady = false;
    for (int left = millis; !isReady && left > 0 && !stopped; left -= watch.millis()) {
      isReady = super.awaitRings(Math.min(left, watch.millis()));
      watch();
    }
    return isReady;
  }

  @Override
  int deliver(long untilTimeNanos, EngineSink sink) {
    watch();
    return merge.drain(untilTimeNanos, stopped, watched);
  }

  /** Passes a record on, and checks the number of threads: to decode a ring may take seconds. */
  private void record(PerfRing ring, long timeNanos) {
    watch();
    records.record(ring, timeNanos);
  }

  /** Ends sampling if there are too many threads, or they start too often. */
  private void watch() {
    long now = System.nanoTime();
    if (!stopped && watch.isTooMuch(records.starts(), now)) {
      budget.leave(now);
      ended = true;
      toBeReplaced = true;
      stop();
    }
  }

  @Override
  boolean isOutgrown() {
    return beside == null && super.isOutgrown();
  }

  /** Closes the events at once, not after draining, since threads would go on inheriting them. */
  @Override
  void end() {
    heldBytes = heldBytes();
    if (!ended && event == null) {
      // Skipped if ended because of too many threads: each call takes about as long as closing,
      // which can't wait then.
      Libc.prctl(TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0);
      events.readCounts();
    } else if (!ended) {
      events.readCounts();
    }
    events.release();
  }

  /** Estimated kernel memory of all threads' events, in bytes. */
  private long heldBytes() {
    return PerfBudget.estimate(budget.threads(), rings.count());
  }

  @Override
  public EngineStatistics statistics() {
    if (!stopped) {
      events.readCountsInTime(cpuTime);
    }
    lost = Math.max(records.lost(), events.lost());
    EngineStatistics statistics = statistics(events.fileDescriptors());
    if (event != null) {
      statistics
          .set(EngineFigure.EVENT_INTERVAL, interval)
          .set(EngineFigure.EVENTS_COUNTED, events.countedNanos())
          .set(EngineFigure.EVENTS_COVERED, records.coveredNanos());
    } else {
      statistics
          .set(EngineFigure.CPU_USED, cpuUsed())
          .set(EngineFigure.CPU_COUNTED, events.countedNanos())
          .set(EngineFigure.CPU_COVERED, records.coveredNanos())
          .set(EngineFigure.CPU_KERNEL, kernel ? 0 : kernelNanos());
    }
    return statistics
        .set(EngineFigure.THREADS, events.threads())
        .set(EngineFigure.DUPLICATES, records.duplicates())
        .set(EngineFigure.KERNEL_MEMORY, stopped ? heldBytes : heldBytes())
        .set(EngineFigure.KERNEL_MEMORY_BUDGET, budget.bytes());
  }

  /**
   * CPU time in kernel mode, estimated as what was counted less what samples, losses and incomplete
   * periods explain.
   */
  private long kernelNanos() {
    long explained = records.coveredNanos() + records.unsampledNanos() + lost * interval;
    kernelNanos = Math.max(kernelNanos, events.countedNanos() - explained);
    return kernelNanos;
  }

  @Override
  public String note() {
    String children =
        features.threadsOnly()
            ? ""
            : "; child processes inherit the events before Linux 5.13: they are slowed down by them"
                + " as this process is, and their samples are discarded ("
                + records.foreign()
                + " so far)";
    String traps =
        CpuCost.note(
            "the breakpoints of " + config.event().name(),
            trapNanos * events.countedNanos(),
            cpuUsed());
    return SWITCHES + children + (traps.isEmpty() ? "" : "; " + traps);
  }

  @Override
  void closeParts() {
    rings.close();
    if (events != null) {
      events.close();
    }
    if (event != null) {
      event.close();
    }
  }
}
