package stackweave.engine.perf;

import stackweave.engine.EngineConfig;
import stackweave.engine.EngineFigure;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.EngineSink;
import stackweave.engine.EngineState;
import stackweave.engine.EngineStatistics;
import stackweave.jfr.control.EngineKind;
import stackweave.linux.SystemCalls;
import stackweave.unwind.Architecture;
import stackweave.unwind.snapshot.OlderCopy;
import stackweave.unwind.snapshot.SnapshotQueue;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Delivers the samples of one of the processes that {@link SharedEvents} samples. What its thread
 * does between two waits is one of that object's turns. For the drain thread, except {@link #wake}.
 */
public final class PerfSharedEngine extends PerfEngine implements EndedThreads.Samples {
  private static final EngineKind KIND = EngineKind.PERF;

  /** Limit for samples that wait: of a process that takes two CPUs, some seconds. */
  private static final int QUEUE_BYTES = 8 << 20;

  private final SharedEvents shared;
  private final SnapshotQueue queue = new SnapshotQueue(QUEUE_BYTES);
  private final EndedThreads endedThreads;
  private SharedEvents.Target target;
  private Records records;
  private volatile boolean isUrgent;

  private PerfSharedEngine(
      SharedEvents shared, EngineConfig config, PerfBudget budget, SystemCalls calls) {
    super(KIND, config, budget, calls);
    this.shared = shared;
    this.endedThreads = new EndedThreads(calls, process);
  }

  /**
   * Starts on the calling thread, and begins a turn of it.
   *
   * @param config of another process than this one
   * @throws EngineRefusedException if it can't run; nothing is held then
   */
  public static PerfSharedEngine start(SharedEvents shared, EngineConfig config, PerfBudget budget)
      throws EngineRefusedException {
    return opened(new PerfSharedEngine(shared, config, budget, calls(KIND)));
  }

  @Override
  void open() throws EngineRefusedException {
    openWakeup();
    records = new Records(pid, calls.architecture());
    merge(records);
    begun();
    SharedEvents.Target added = new SharedEvents.Target(pid, queue, this::wake);
    shared.add(config, added);
    target = added;
    stackBytes = shared.stackBytes();
    shared.turns().begin(() -> isUrgent);
  }

  /** Samples out of the queue; lost ones are counted there. */
  private final class Records extends SampleRecords {
    Records(int pid, Architecture architecture) {
      super(pid, true, architecture);
    }

    int drain(long untilTimeNanos) {
      int count = 0;
      for (long time = queue.time(); time <= untilTimeNanos && time != Long.MAX_VALUE; count++) {
        next(time);
        time = queue.time();
      }
      return count;
    }

    private void next(long timeNanos) {
      int tid = queue.tid();
      // A thread that has nearly ended has no id in the kernel any more (perf_event_pid_type).
      String name = tid > 0 && endedThreads.isNew(tid) ? shared.nameOf(tid) : "";
      if (!name.isEmpty()) {
        sink.renamed(timeNanos, tid, name);
      }
      if (!wants(queue.weightNanos())) {
        queue.take(null);
        return;
      }
      StackSnapshot snapshot = decoder.snapshot();
      queue.take(snapshot);
      sink.sample(snapshot);
      OlderCopy copy = snapshot.olderCopy();
      if (copy.isNeedKnown()) {
        shared.stack(tid, copy.stackEnd(), copy.neededFrom());
      }
    }
  }

  @Override
  public long highestStackPointer(int tid) {
    return queue.highestStackPointer(tid);
  }

  @Override
  int busyMillis() {
    return Integer.MAX_VALUE; // a queue that fills up wakes this thread
  }

  @Override
  boolean awaitRings(int millis) {
    shared.turns().end();
    try {
      return super.awaitRings(millis);
    } finally {
      shared.turns().begin(() -> isUrgent);
      isUrgent = false;
    }
  }

  /** It is to stop, a chunk waits for it, or its queue fills up: it does not wait for its turn. */
  @Override
  public void wake() {
    isUrgent = true;
    super.wake();
  }

  @Override
  public EngineState state() {
    return !toBeReplaced && shared.areOlderPartsTaken() ? EngineState.DRAIN_SOON : super.state();
  }

  @Override
  public boolean isPast(long timeNanos) {
    return stopped || shared.isPast(timeNanos);
  }

  @Override
  public int drain(long untilTimeNanos) {
    if (!stopped) {
      shared.drain();
    }
    return records.drain(untilTimeNanos);
  }

  @Override
  int deliver(long untilTimeNanos, EngineSink sink) {
    return endedThreads.deliver(untilTimeNanos, this, sink);
  }

  /** Whether the events could not be opened again when CPUs came or went. */
  @Override
  boolean isOutgrown() {
    return !shared.isRunning();
  }

  @Override
  public double backlog() {
    return queue.backlog();
  }

  @Override
  void end() {
    if (target != null) {
      shared.remove(target);
      readLost();
      target = null;
    }
  }

  private void readLost() {
    lost = queue.lost() + shared.lostOf(target);
  }

  @Override
  public EngineStatistics statistics() {
    if (!stopped) {
      readLost();
    }
    return statistics(0)
        .set(EngineFigure.CPUS, shared.cpus())
        .set(EngineFigure.RING_BYTES, QUEUE_BYTES)
        .set(EngineFigure.CPU_USED, cpuUsed())
        .set(EngineFigure.CPU_COUNTED, records.coveredNanos() + lost * config.intervalNanos())
        .set(EngineFigure.CPU_COVERED, records.coveredNanos());
  }

  @Override
  public String note() {
    return shared.note();
  }

  @Override
  void closeParts() {
    rings.close();
    endedThreads.close();
    shared.turns().end();
  }
}
