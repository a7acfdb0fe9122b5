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
import stackweave.linux.CallPolicy;
import stackweave.linux.Capabilities;
import stackweave.linux.GuardedCall;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;

/**
 * Records when threads leave a CPU and get one, and who wakes them: an event of its own for each
 * thread and CPU, which later threads inherit, beside whichever engine samples. Rings are its own,
 * so that switches take no room of samples. The kernel writes 32 bytes for a switch; nothing else
 * happens on the threads. Used by the drain thread alone, which is not recorded itself.
 */
public final class SwitchEvents implements AutoCloseable {
  /** Which event a refusal is of: one without privilege, as in this engine. */
  private static final EngineKind KIND = EngineKind.PERF_USER;

  /** Room for 32,768 switches of a CPU. */
  private static final int RING_BYTES = 1024 * 1024;

  /** The same without CAP_IPC_LOCK: what all processes of a user may lock is little. */
  private static final int UNPRIVILEGED_RING_BYTES = 128 * 1024;

  /** Limit for all rings together, since they are locked memory. */
  private static final long ALL_RINGS_BYTES = 16L * 1024 * 1024;

  private static final int MIN_RING_BYTES = 32 * 1024;

  /** Before that, who was preempted and who is blocked can't be told apart. */
  private static final KernelVersion FIRST = new KernelVersion(4, 17);

  /** Records that are younger are held back: those of another CPU may be older. */
  public static final long SETTLING_NANOS = RingMerge.SETTLING_NANOS;

  private final PerfBudget budget;
  private final SystemCalls calls;
  private final int drainTid;
  private final int[] cpus = CpuSet.ofProcess();
  private final NativeBuffer attr = NativeBuffer.allocate(PerfAttr.BYTES);
  private final NativeBuffer scratch = NativeBuffer.allocate(16);
  private final SwitchRecords records;
  private final ThreadWatch watch;
  private PerfAttr.Features features;

  /** Null where wake-ups are not recorded. */
  private WakeTracepoint tracepoint;

  private String whyNoWakeUps = "";
  private PerfRings rings = PerfRings.none();
  private PerfEvents events;
  private RingMerge merge;
  private boolean stopped;
  private boolean closed;

  private SwitchEvents(PerfBudget budget, SystemCalls calls) {
    this.budget = budget;
    this.watch = new ThreadWatch(budget, cpus.length, System.nanoTime());
    this.calls = calls;
    this.drainTid = calls.gettid();
    this.records = new SwitchRecords(Libc.getpid());
  }

  /**
   * Starts on the calling thread.
   *
   * @param budget of kernel memory, as much again as an engine may use
   * @param policy whether perf_event_open may be called
   * @param wakeUps whether to record who wakes threads, too, where that is possible
   * @throws EngineRefusedException if it can't run; nothing is held then
   */
  public static SwitchEvents start(PerfBudget budget, CallPolicy policy, boolean wakeUps)
      throws EngineRefusedException {
    if (!policy.allows(GuardedCall.PERF_EVENT_OPEN)) {
      throw new EngineRefusedException(PerfRefusals.notTried(KIND));
    }
    SystemCalls calls =
        SystemCalls.current().orElseThrow(() -> RefusalText.PERF_ARCHITECTURE.of(KIND, 0));
    SwitchEvents started = new SwitchEvents(budget, calls);
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
    events.attach(rings.all(), drainTid, PerfEvents.fileDescriptorBudget(scratch));
  }

  /** Null if the kernel has none for this process. */
  private WakeTracepoint wakeUps() {
    try {
      tracepoint = WakeTracepoint.read();
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
   * Delivers the records that no CPU may write before any more: those of the last millisecond are
   * held back until the next call, unless it was stopped.
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
   * Of a full ring records are missing, which the kernel says only behind them. Records of other
   * CPUs would then end blocks that were over long before, so all are given up.
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

  /** How often {@link #costsTooMuch} is to be asked, in ns. */
  public long watchNanos() {
    return watch.millis() * 1_000_000L;
  }

  /** Whether there are so many threads, or so many are started, that it must end. */
  public boolean costsTooMuch() {
    return watch.isTooMuch(records.starts(), System.nanoTime());
  }

  /**
   * Whether threads may run where they are not recorded, so that it must begin anew. Reads every
   * thread's affinity.
   */
  public boolean isOutgrown() {
    return rings.isMisplaced(new BitSet(), false);
  }

  /** Records of switches so far. */
  public long switches() {
    return records.switches();
  }

  /** Records of wake-ups so far: about two for each. */
  public long wakeUpRecords() {
    return records.wakeUps();
  }

  /** Whether it records who wakes threads. */
  public boolean hasWakeUps() {
    return tracepoint != null;
  }

  /** Why it does not though it was asked to, as a line for users; empty if it does. */
  public String whyNoWakeUps() {
    return whyNoWakeUps;
  }

  /** File descriptors that it holds. */
  public int fileDescriptors() {
    return closed ? 0 : rings.count() + (stopped ? 0 : events.fileDescriptors());
  }

  /** Ends recording; what is in the rings can still be drained. */
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
