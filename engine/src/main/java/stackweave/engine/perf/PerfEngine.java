package stackweave.engine.perf;

import java.util.BitSet;
import java.util.Optional;
import java.util.OptionalLong;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineDescription;
import stackweave.engine.EngineFigure;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.EngineSink;
import stackweave.engine.EngineState;
import stackweave.engine.EngineStatistics;
import stackweave.engine.KernelClock;
import stackweave.engine.RefusalText;
import stackweave.engine.SampleEngine;
import stackweave.engine.Wakeup;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.CpuTime;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;
import stackweave.unwind.snapshot.OlderStack;

/**
 * Base of the engines of perf events: has a ring for each CPU, waits for them, and delivers their
 * records in the order of time. {@link PerfCpuEngine} has one event for each CPU, {@link
 * PerfThreadEngine} events for each thread. For the drain thread, except {@link #wake}.
 */
abstract class PerfEngine implements SampleEngine, OlderStack.Whereabouts {
  /** How often it is checked whether the process may run on other CPUs. */
  private static final long CPUS_NANOS = 2_000_000_000;

  /** The error of a clock offset other than 0, in ns. */
  private static final long CLOCK_ERROR_NANOS = 1_000_000;

  final EngineKind kind;
  final EngineConfig config;
  final PerfBudget budget;
  final SystemCalls calls;
  final SampledProcess process;
  final int pid;
  final int drainTid;
  final NativeBuffer attr = NativeBuffer.allocate(PerfAttr.BYTES);
  final NativeBuffer scratch = NativeBuffer.allocate(16);
  final CpuTime cpuTime;
  int stackBytes;

  /** Opened, and closed, by the subclass. */
  PerfRings rings = PerfRings.none();

  RingMerge merge;
  long lost;

  /** Whether another engine is to be started. */
  boolean toBeReplaced;

  boolean stopped;
  boolean closed;
  private SampleRecords records;
  private EngineDescription description;
  private Wakeup wakeup;
  private long cpuAtStart;
  private long cpuAtStop;

  /** Whether the last drain had records. */
  private boolean areComing;

  private long cpusSeenAt = System.nanoTime();

  PerfEngine(EngineKind kind, EngineConfig config, PerfBudget budget, SystemCalls calls) {
    this.kind = kind;
    this.config = config;
    this.process = config.process();
    this.pid = process.pid();
    this.cpuTime = new CpuTime(process);
    this.budget = budget;
    this.calls = calls;
    this.drainTid = calls.gettid();
  }

  /** The system calls of this processor, by which an engine starts. */
  static SystemCalls calls(EngineKind kind) throws EngineRefusedException {
    Optional<SystemCalls> calls = SystemCalls.current();
    if (calls.isEmpty()) {
      throw RefusalText.PERF_ARCHITECTURE.of(kind, 0);
    }
    return calls.get();
  }

  /** Opens an engine; if that fails, nothing is held. */
  static <E extends PerfEngine> E opened(E engine) throws EngineRefusedException {
    boolean isOpen = false;
    try {
      engine.open();
      isOpen = true;
      return engine;
    } finally {
      if (!isOpen) {
        engine.close();
      }
    }
  }

  /** Opens what it samples with, on the calling thread, which is not sampled; called once. */
  abstract void open() throws EngineRefusedException;

  final void openWakeup() throws EngineRefusedException {
    wakeup = Wakeup.open();
    if (wakeup == null) {
      throw PerfRefusals.outOfDescriptors(kind, Libc.errno());
    }
  }

  /** Prepares for draining, once the rings are open. */
  final void merge(SampleRecords records) throws EngineRefusedException {
    this.records = records;
    OptionalLong offset = new KernelClock().offsetOfMachine();
    if (offset.isEmpty()) {
      throw RefusalText.PERF_CLOCK.of(kind, 0);
    }
    long clockOffset = offset.getAsLong();
    merge = new RingMerge(rings.all(), clockOffset);
    records.decoder.snapshot().setWhereabouts(this);
    description =
        new EngineDescription(
            kind,
            config.event(),
            config.intervalNanos(),
            config.intervalNanos(),
            false,
            clockOffset == 0 ? 0 : CLOCK_ERROR_NANOS);
  }

  /** Begins to account for CPU time. */
  final void begun() {
    cpuAtStart = cpuTime.ofOthers();
  }

  /** CPU time of the process without the drain thread, from {@link #begun} to the stop, in ns. */
  final long cpuUsed() {
    return (stopped ? cpuAtStop : cpuTime.ofOthers()) - cpuAtStart;
  }

  /** The highest stack pointer of a thread among all samples that wait; 0 for none. */
  @Override
  public long highestStackPointer(int tid) {
    return rings.highestStackPointer(records.decoder, tid);
  }

  @Override
  public final EngineDescription description() {
    return description;
  }

  /** How long samples may stay in rings while they come, in ms. */
  abstract int busyMillis();

  @Override
  public final boolean await(int timeoutMillis, boolean gathers) {
    return !closed && awaitRings(areComing ? Math.min(timeoutMillis, busyMillis()) : timeoutMillis);
  }

  /** Waits until a ring fills up, or somebody ends the wait; false if only time has passed. */
  boolean awaitRings(int millis) {
    return rings.await(wakeup, millis);
  }

  @Override
  public void wake() {
    wakeup.signal();
  }

  @Override
  public EngineState state() {
    return toBeReplaced ? EngineState.TO_BE_REPLACED : EngineState.SAMPLES_MAY_WAIT;
  }

  @Override
  public final int drain(long untilTimeNanos, EngineSink sink) {
    if (closed) {
      return 0;
    }
    int count;
    records.setSink(sink);
    try {
      count = deliver(untilTimeNanos, sink);
    } finally {
      records.setSink(null); // not held between drains
    }
    areComing = count > 0;
    long now = System.nanoTime();
    if (!stopped && now - cpusSeenAt > CPUS_NANOS) {
      cpusSeenAt = now;
      toBeReplaced |= isOutgrown();
    }
    return count;
  }

  /** Delivers records up to a time; returns how many. */
  abstract int deliver(long untilTimeNanos, EngineSink sink);

  /** Whether threads may run on a CPU without a ring. Called every two seconds. */
  boolean isOutgrown() {
    return rings.isMisplaced(process, new BitSet(), false);
  }

  @Override
  public double backlog() {
    return rings.backlog();
  }

  @Override
  public final void stop() {
    if (!stopped) {
      cpuAtStop = cpuTime.ofOthers();
      end();
      stopped = true;
    }
  }

  /** Ends the events, once. */
  abstract void end();

  /**
   * The figures that all subclasses have.
   *
   * @param descriptors what it holds, beside rings and the wake-up
   */
  final EngineStatistics statistics(int descriptors) {
    return new EngineStatistics(kind)
        .set(EngineFigure.INTERVAL, config.intervalNanos())
        .set(EngineFigure.CPUS, rings.count())
        .set(EngineFigure.FILE_DESCRIPTORS, closed ? 0 : rings.count() + 1 + descriptors)
        .set(EngineFigure.RING_BYTES, rings.bytes())
        .set(EngineFigure.STACK_BYTES, stackBytes)
        .set(EngineFigure.SAMPLES, records.samples())
        .set(EngineFigure.LOST, lost)
        .set(EngineFigure.FOREIGN_SAMPLES, records.foreign())
        .set(EngineFigure.THROTTLED, records.throttled())
        .set(EngineFigure.LATE, merge.late())
        .set(EngineFigure.MALFORMED, merge.malformed());
  }

  @Override
  public final void close() {
    if (closed) {
      return;
    }
    if (merge != null) {
      stop();
    }
    closed = true;
    closeParts();
    if (wakeup != null) {
      wakeup.close();
    }
    attr.close();
    scratch.close();
    cpuTime.close();
  }

  /** Closes what the subclass has opened, also after an incomplete start. */
  abstract void closeParts();
}
