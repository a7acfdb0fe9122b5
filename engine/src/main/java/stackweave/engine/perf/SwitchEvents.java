package stackweave.engine.perf;

import java.io.IOException;
import java.util.BitSet;
import java.util.function.Consumer;
import stackweave.engine.CpuSet;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.KernelClock;
import stackweave.engine.KernelVersion;
import stackweave.engine.RefusalText;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.CallPolicy;
import stackweave.linux.Capabilities;
import stackweave.linux.FileRights;
import stackweave.linux.GuardedCall;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;

/**
 * Records when threads leave a CPU and get one, and what wakes them, beside any engine: by an event
 * for each thread and CPU, which later threads inherit. It has rings of its own, so that samples
 * lose no room to switches. The kernel writes 32 bytes for a switch; nothing else happens on the
 * threads. For the drain thread only, which is not recorded itself.
 */
public final class SwitchEvents implements AutoCloseable {
  /** The engine that refusals name: one that needs no privilege, either. */
  private static final EngineKind KIND = EngineKind.PERF_USER;

  /** Has room for 32,768 switches of a CPU. */
  private static final int RING_BYTES = 1024 * 1024;

  /** The size without CAP_IPC_LOCK: all processes of a user together may lock little memory. */
  private static final int UNPRIVILEGED_RING_BYTES = 128 * 1024;

  /** Limit for all rings together, since they are locked memory. */
  private static final long ALL_RINGS_BYTES = 16L * 1024 * 1024;

  private static final int MIN_RING_BYTES = 32 * 1024;

  /** Older kernels do not distinguish preempted from blocked threads. */
  private static final KernelVersion FIRST = new KernelVersion(4, 17);

  /** Younger records are held back, because another CPU may still write older ones. */
  public static final long SETTLING_NANOS = RingMerge.SETTLING_NANOS;

  private final SampledProcess process;
  private final PerfBudget budget;
  private final SystemCalls calls;
  private final int drainTid;
  private final int[] cpus;
  private final NativeBuffer attr = NativeBuffer.allocate(PerfAttr.BYTES);
  private final NativeBuffer scratch = NativeBuffer.allocate(16);
  private final SwitchRecords records;
  private final ThreadWatch watch;
  private PerfAttr.Features features;

  /** Null if wake-ups are not recorded. */
  private WakeTracepoint tracepoint;

  private String whyNoWakeUps = "";
  private PerfRings rings = PerfRings.none();
  private PerfEvents events;
  private RingMerge merge;
  private boolean stopped;
  private boolean closed;

  private SwitchEvents(SampledProcess process, PerfBudget budget, SystemCalls calls) {
    this.process = process;
    this.budget = budget;
    this.cpus = process.isOwn() ? CpuSet.ofProcess() : CpuSet.presentOf(process);
    this.watch = new ThreadWatch(budget, cpus.length, System.nanoTime());
    this.calls = calls;
    this.drainTid = calls.gettid();
    this.records = new SwitchRecords(process.pid());
  }

  /**
   * Starts on the calling thread.
   *
   * @param process whose threads are recorded
   * @param budget of kernel memory, as much again as an engine may use
   * @param policy whether perf_event_open may be called
   * @param wakeUps whether to record wake-ups, too, if possible
   * @throws EngineRefusedException if it can't run; nothing is held then
   */
  public static SwitchEvents start(
      SampledProcess process, PerfBudget budget, CallPolicy policy, boolean wakeUps)
      throws EngineRefusedException {
    if (!policy.allows(GuardedCall.PERF_EVENT_OPEN)) {
      throw new EngineRefusedException(PerfRefusals.notTried(KIND));
    }
    SystemCalls calls =
        SystemCalls.current().orElseThrow(() -> RefusalText.PERF_ARCHITECTURE.of(KIND, 0));
    SwitchEvents started = new SwitchEvents(process, budget, calls);
    try {
      started.open(wakeUps);
      return started;
    } catch (EngineRefusedException | RuntimeException | Error e) {
      started.close();
      throw e;
    }
  }

  private void open(boolean wakeUps) throws EngineRefusedException {
    if (KernelVersion.current().isBefore(FIRST)) {
      throw RefusalText.PERF_SWITCHES.of(KIND, 0);
    }
    if (wakeUps) {
      tracepoint = wakeUps();
    }
    if (tracepoint == null) {
      features = probe(of -> PerfAttr.switches(attr.bytes(), of));
    }
    records.setTracepoint(tracepoint);
    int threads = budget.threads();
    if (PerfBudget.estimate(threads, cpus.length) > budget.bytes() / 4) {
      throw PerfRefusals.kernelMemory(KIND, threads, cpus.length, budget.bytes());
    }
    openRings();
    long offset =
        new KernelClock().offsetOfMachine().orElseThrow(() -> RefusalText.PERF_CLOCK.of(KIND, 0));
    merge = new RingMerge(rings.all(), offset);
    write(features);
    events = new PerfEvents(calls, KIND, attr, false);
    events.attach(process, rings.all(), drainTid, PerfEvents.fileDescriptorBudget(scratch));
  }

  /** Null if the kernel shows this process no such tracepoint. */
  private WakeTracepoint wakeUps() {
    try {
      // With the rights of this process, also where other files are read with another's.
      tracepoint = FileRights.of(process).own(WakeTracepoint::read);
      features = probe(this::write);
      return tracepoint;
    } catch (IOException e) {
      whyNoWakeUps = e.getMessage();
    } catch (EngineRefusedException e) {
      whyNoWakeUps = "sched_waking needs root or CAP_PERFMON";
    }
    return null;
  }

  private PerfAttr.Features probe(Consumer<PerfAttr.Features> write) throws EngineRefusedException {
    return PerfEvents.probe(calls, KIND, attr, drainTid, PerfAttr.Features.values()[0], write);
  }

  private void write(PerfAttr.Features of) {
    PerfAttr.switches(attr.bytes(), of);
    if (tracepoint != null) {
      PerfAttr.wakeUps(attr.bytes(), tracepoint);
    }
  }

  private void openRings() throws EngineRefusedException {
    int largest = Capabilities.hasIpcLock() ? RING_BYTES : UNPRIVILEGED_RING_BYTES;
    long share = Long.highestOneBit(ALL_RINGS_BYTES / cpus.length);
    rings =
        PerfRings.openOwned(
            calls, attr, features, drainTid, cpus, (int) Math.min(largest, share), MIN_RING_BYTES);
    rings.check(KIND, false, cpus.length, MIN_RING_BYTES);
  }

  /**
   * Delivers the records before which no CPU can write any more: those of the last millisecond are
   * held back until the next call, unless recording was stopped.
   */
  public void drain(SwitchSink sink) {
    if (closed) {
      return;
    }
    if (discardIfFull()) {
      sink.lost();
      return;
    }
    records.setSink(sink);
    try {
      merge.drain(Long.MAX_VALUE, stopped, records);
    } finally {
      records.setSink(null); // not held between drains
    }
  }

  /**
   * Discards all records if a ring is full: some of its records are missing, and the kernel reports
   * that only behind them. Records of other CPUs would then end blocks that were over long before.
   */
  private boolean discardIfFull() {
    boolean isAnyFull = false;
    for (PerfRing ring : rings.all()) {
      ring.readHead();
      isAnyFull |= ring.isFull();
    }
    if (isAnyFull) {
      for (PerfRing ring : rings.all()) {
        ring.readHead();
        records.discarded(ring.waiting());
        ring.takeAll();
      }
    }
    return isAnyFull;
  }

  /** How often {@link #costsTooMuch} must be called, in ns. */
  public long watchNanos() {
    return watch.millis() * 1_000_000L;
  }

  /** Whether recording must end, because there are too many threads, or too many are started. */
  public boolean costsTooMuch() {
    return watch.isTooMuch(records.starts(), System.nanoTime());
  }

  /** Whether threads may run on CPUs without a ring. Reads every thread's affinity. */
  public boolean isOutgrown() {
    return rings.isMisplaced(process, new BitSet(), false);
  }

  /** Records of switches so far. */
  public long switches() {
    return records.switches();
  }

  /** Records of wake-ups so far: about two for each wake-up. */
  public long wakeUpRecords() {
    return records.wakeUps();
  }

  /** Whether wake-ups are recorded. */
  public boolean hasWakeUps() {
    return tracepoint != null;
  }

  /** Why wake-ups are not recorded although requested, as a line for users; empty if they are. */
  public String whyNoWakeUps() {
    return whyNoWakeUps;
  }

  /** File descriptors that it holds. */
  public int fileDescriptors() {
    return closed ? 0 : rings.count() + (stopped ? 0 : events.fileDescriptors());
  }

  /** Stops recording; records in the rings can still be drained. */
  public void stop() {
    if (!stopped) {
      stopped = true;
      if (events != null) {
        events.release();
      }
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    stop();
    closed = true;
    if (events != null) {
      events.close();
    }
    rings.close();
    attr.close();
    scratch.close();
  }
}
