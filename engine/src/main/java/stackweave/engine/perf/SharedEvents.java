package stackweave.engine.perf;

import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.locks.LockSupport;
import stackweave.engine.CpuSet;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.KernelClock;
import stackweave.engine.RefusalText;
import stackweave.engine.Turns;
import stackweave.engine.Wakeup;
import stackweave.engine.bpf.PidNamespace;
import stackweave.engine.perf.filter.OlderParts;
import stackweave.engine.perf.filter.ProcessFilter;
import stackweave.jfr.control.EngineKind;
import stackweave.linux.DaemonThread;
import stackweave.linux.GuardedCall;
import stackweave.linux.Libc;
import stackweave.linux.SystemCalls;
import stackweave.unwind.snapshot.SnapshotQueue;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * One set of CPUs' events for many processes. Takes the samples out of the rings, in order of time,
 * and puts each into the queue of its process, whose {@link PerfSharedEngine} delivers it. A thread
 * of its own sees to it that the rings don't fill up while those who decode are busy or hang. It
 * reads nothing of the processes. Thread-safe.
 */
public final class SharedEvents implements AutoCloseable {
  private static final EngineKind KIND = EngineKind.PERF;

  /** Share of a queue from which on its process's thread is woken. */
  private static final double FILLING = 0.25;

  /** How long the rings are left alone while no samples come: a ring that fills up is told. */
  private static final int IDLE_MILLIS = 200;

  /** How often lost samples are counted, and it is checked which CPUs there are. */
  private static final long LOOK_NANOS = 2_000_000_000L;

  /** A process. All that changes is guarded by the events. */
  static final class Target {
    final int pid;
    final SnapshotQueue queue;

    /** Wakes its thread. */
    final Runnable waker;

    /** Samples since losses were counted last, and what it has of these. */
    private long recent;

    private double lost;

    Target(int pid, SnapshotQueue queue, Runnable waker) {
      this.pid = pid;
      this.queue = queue;
      this.waker = waker;
    }
  }

  private final Turns turns = new Turns();

  // All that follows is guarded by this.
  private Target[] targets = new Target[16];
  private int count;

  /** What the events were opened with; null before the first process. */
  private EngineConfig config;

  private SystemCalls calls;
  private BitSet withoutTicks;
  private StackSnapshot snapshot;
  private SampleDecoder decoder;
  private Wakeup wakeup;
  private Thread thread;

  /** Null if they could not be opened again. */
  private CpuEvents events;

  private RingMerge merge;

  /** What the rings of earlier events lost; what records said of losses; the larger count. */
  private long lostBefore;

  private long lostTold;
  private long lost;
  private boolean closed;

  /** Those who decode take turns by this. */
  Turns turns() {
    return turns;
  }

  /**
   * Opens the events, if that is not done yet.
   *
   * @param wanted has the interval, which is the same for all processes
   * @throws EngineRefusedException if CPUs can't be sampled here
   */
  public synchronized void prepare(EngineConfig wanted) throws EngineRefusedException {
    if (config == null) {
      SystemCalls system =
          SystemCalls.current().orElseThrow(() -> RefusalText.PERF_ARCHITECTURE.of(KIND, 0));
      if (!wanted.callPolicy().allows(GuardedCall.PERF_EVENT_OPEN)) {
        throw new EngineRefusedException(PerfRefusals.notTried(KIND));
      }
      if (!isInFirstNamespace()) {
        throw RefusalText.PERF_NOT_FIRST_NAMESPACE.of(KIND, 0);
      }
      calls = system;
      config = wanted;
      withoutTicks = CpuSet.withoutTicks();
      decoder = new SampleDecoder(true, calls.architecture());
      snapshot = decoder.snapshot();
    } else if (config.intervalNanos() != wanted.intervalNanos()) {
      throw new IllegalArgumentException("all processes are sampled at one interval");
    }
    if (events == null) {
      open();
    }
  }

  /** Only there have all processes an id. */
  private static boolean isInFirstNamespace() {
    try {
      return PidNamespace.own().isFirst();
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Begins to sample a process.
   *
   * @throws EngineRefusedException if CPUs can't be sampled here
   */
  synchronized void add(EngineConfig wanted, Target target) throws EngineRefusedException {
    prepare(wanted);
    if (thread == null) {
      wakeup = Wakeup.open();
      if (wakeup == null) {
        throw PerfRefusals.outOfDescriptors(KIND, Libc.errno());
      }
      thread = DaemonThread.of("stackweave-rings", this::run);
      thread.start();
    }
    if (!events.filter().add(target.pid)) {
      throw RefusalText.PERF_TOO_MANY_PROCESSES.of(KIND, 0, ProcessFilter.MAX_PROCESSES);
    }
    if (count == targets.length) {
      targets = Arrays.copyOf(targets, 2 * count);
    }
    targets[count++] = target;
    if (count == 1) {
      events.enable();
    }
  }

  private void open() throws EngineRefusedException {
    CpuEvents opened =
        CpuEvents.open(
            calls,
            config,
            CpuSet.without(withoutTicks, CpuSet.toArray(CpuSet.online())),
            calls.gettid());
    if (opened.filter() == null) {
      opened.close();
      throw PerfRefusals.noFilter(config.callPolicy().allows(GuardedCall.BPF));
    }
    long offset = new KernelClock().offsetOfMachine().orElse(Long.MIN_VALUE);
    if (offset == Long.MIN_VALUE) {
      opened.close();
      throw RefusalText.PERF_CLOCK.of(KIND, 0);
    }
    events = opened;
    merge = new RingMerge(events.rings().all(), offset);
  }

  /** Ends the sampling of a process. Its queue has all samples then. */
  void remove(Target target) {
    synchronized (this) {
      if (targetOf(target.pid) != target) {
        return; // it was forgotten, and another may have its id by now
      }
      if (events != null) {
        events.filter().remove(target.pid);
      }
    }
    // What a CPU has begun to write is in its ring after this time.
    long now = System.nanoTime();
    while (!isPast(now)) {
      LockSupport.parkNanos(RingMerge.SETTLING_NANOS / 4);
    }
    drain();
    drop(target);
  }

  /** As {@link #remove}, of a process whose thread hangs: nobody takes its samples. */
  public synchronized void forget(int pid) {
    Target target = targetOf(pid);
    if (target != null) {
      if (events != null) {
        events.filter().remove(pid);
      }
      drop(target);
    }
  }

  private synchronized void drop(Target target) {
    if (events != null) {
      countLost();
    }
    for (int i = 0; i < count; i++) {
      if (targets[i] == target) {
        targets[i] = targets[--count];
        targets[count] = null;
      }
    }
    if (count == 0 && events != null) {
      events.disable();
    }
  }

  /** Whether no CPU writes a sample of this time any more, so that {@link #drain} has them all. */
  boolean isPast(long timeNanos) {
    return RingMerge.isPast(timeNanos);
  }

  /** Hands on the samples in the rings; returns how many. */
  synchronized int drain() {
    return events == null ? 0 : merge.drain(Long.MAX_VALUE, false, this::record);
  }

  private void record(PerfRing ring, long timeNanos) {
    if (ring.type() != SampleRecords.RECORD_SAMPLE) {
      lostTold += ring.type() == SampleRecords.RECORD_LOST ? ring.getLong(16) : 0;
      ring.take();
      return;
    }
    Target target = targetOf(ring.getInt(8));
    int tid = ring.getInt(12);
    if (target != null) {
      decoder.decode(ring, timeNanos, tid, events.periods()[ring.cpu()]);
    }
    OlderParts older = events.filter().older();
    if (older != null) {
      long kernelNanos = ring.getLong(RingMerge.SAMPLE_TIME);
      older.sample(ring.cpu(), tid, kernelNanos, target == null ? null : snapshot.olderCopy());
    }
    ring.take();
    if (target != null) {
      target.recent++;
      SnapshotQueue queue = target.queue;
      boolean wasFilling = queue.backlog() >= FILLING;
      queue.put(snapshot);
      if (!wasFilling && queue.backlog() >= FILLING) {
        target.waker.run();
      }
    }
  }

  private Target targetOf(int pid) {
    for (int i = 0; i < count; i++) {
      if (targets[i].pid == pid) {
        return targets[i];
      }
    }
    return null;
  }

  // ---- the thread

  private void run() {
    long lookedAt = System.nanoTime();
    int millis = 0;
    while (await(millis)) {
      millis = drain() > 0 ? busyMillis() : IDLE_MILLIS;
      if (System.nanoTime() - lookedAt > LOOK_NANOS) {
        look();
        lookedAt = System.nanoTime();
      }
    }
  }

  /** Waits for a ring that fills up; false at the end. */
  private boolean await(int millis) {
    PerfRings rings;
    synchronized (this) {
      rings = events == null ? null : events.rings();
    }
    // Only this thread closes rings while it runs.
    if (rings == null) {
      LockSupport.parkNanos(millis * 1_000_000L);
    } else {
      rings.await(wakeup, millis);
    }
    synchronized (this) {
      return !closed;
    }
  }

  private synchronized int busyMillis() {
    return events == null ? IDLE_MILLIS : events.busyMillis();
  }

  /** Opens the events again if CPUs came or went; an event of a CPU that went has ended. */
  private synchronized void look() {
    if (events == null || count == 0) {
      return;
    }
    countLost();
    BitSet online = CpuSet.online();
    online.andNot(withoutTicks);
    BitSet sampled = new BitSet();
    for (PerfRing ring : events.rings().all()) {
      sampled.set(ring.cpu());
    }
    if (events.rings().haveEnded(online) || !sampled.equals(online)) {
      reopen();
    }
  }

  /**
   * Of a sample that a ring lost nobody knows whose it was: they are divided among the processes as
   * those that were taken meanwhile.
   */
  private void countLost() {
    long before = lost;
    lost = Math.max(lostTold, lostBefore + events.lost());
    long taken = 0;
    for (int i = 0; i < count; i++) {
      taken += targets[i].recent;
    }
    for (int i = 0; i < count; i++) {
      targets[i].lost += (double) (lost - before) * targets[i].recent / Math.max(1, taken);
      targets[i].recent = 0;
    }
  }

  private void reopen() {
    events.disable();
    merge.drain(Long.MAX_VALUE, true, this::record);
    countLost();
    lostBefore = lost;
    events.close();
    events = null;
    try {
      open();
    } catch (EngineRefusedException e) {
      return; // whoever starts again is told
    }
    for (int i = 0; i < count; i++) {
      events.filter().add(targets[i].pid);
    }
    events.enable();
  }

  // ---- what those who deliver ask

  /** Whether samples are taken. */
  synchronized boolean isRunning() {
    return events != null;
  }

  /** The CPUs that are sampled. */
  synchronized int cpus() {
    return events == null ? 0 : events.rings().count();
  }

  /** The most bytes of a stack that are copied. */
  synchronized int stackBytes() {
    return events == null ? 0 : events.stackBytes();
  }

  /** A process's share of the samples that found no room in a ring; up to two seconds old. */
  synchronized long lostOf(Target target) {
    return Math.round(target.lost);
  }

  /** Whether older parts of stacks were copied lately. */
  synchronized boolean areOlderPartsTaken() {
    return events != null && events.areOlderPartsTaken();
  }

  /** The name that a thread had when it was sampled last; empty if that is not known. */
  synchronized String nameOf(int tid) {
    return events == null ? "" : events.filter().nameOf(tid);
  }

  /** As {@link OlderParts#stack}. */
  synchronized void stack(int tid, long end, long first) {
    OlderParts older = events == null ? null : events.filter().older();
    if (older != null) {
      older.stack(tid, end, first);
    }
  }

  /** A note for users; empty for none. */
  synchronized String note() {
    return events == null ? "" : events.filter().note();
  }

  /** Ends the thread and closes the events. */
  @Override
  public void close() {
    Thread running;
    synchronized (this) {
      closed = true;
      running = thread;
    }
    if (running != null) {
      wakeup.signal();
      boolean isInterrupted = false;
      while (running.isAlive()) {
        try {
          running.join();
        } catch (InterruptedException e) {
          isInterrupted = true;
        }
      }
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
      wakeup.close();
    }
    synchronized (this) {
      if (events != null) {
        events.close();
        events = null;
      }
    }
  }
}
