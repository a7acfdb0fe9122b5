package stackweave.agent.engine;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import stackweave.agent.linux.CpuTime;
import stackweave.agent.linux.Errno;
import stackweave.agent.linux.LastPid;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.SystemCalls;
import stackweave.agent.linux.TaskList;

/**
 * Finds threads that were started and have ended, and gives them timers or takes those away.
 *
 * <p>Threads are listed when the machine has started one since the last list, at most so often that
 * it costs a fiftieth of a core, and in any case every {@link #LISTING_NANOS}. For the drain thread
 * only, but for {@link #hint}.
 */
final class TimerDiscovery implements AutoCloseable {
  /** A list is followed by so many times its cost without one. */
  private static final int COST_SHARE = 50;

  private static final long LISTING_NANOS = 200_000_000L;
  private static final long VERIFY_NANOS = 2_000_000_000L;

  /** A power of two: hints that wait for the drain thread; more of them make it list all. */
  private static final int HINTS = 256;

  /**
   * A thread that has hardly run has told nobody of its stack. One that tells nothing after so much
   * CPU time is sampled without.
   */
  private static final long SILENT_NANOS = 1_000_000;

  private final TimerThreads threads;
  private final SignalQueue queue;
  private final int drainTid;
  private final ThreadStacks javaStacks;
  private final NativeStacks nativeStacks;
  private final TaskList tasks;
  private final CpuTime cpuTime = new CpuTime();
  private final LastPid lastPid = new LastPid();
  private final AtomicIntegerArray hints = new AtomicIntegerArray(HINTS);
  private final AtomicBoolean listNow = new AtomicBoolean();
  private final ThreadIds fresh = new ThreadIds();
  private final ThreadIds waiting = new ThreadIds();
  private final ThreadIds started = new ThreadIds();
  private final ThreadIds ended = new ThreadIds();
  private long[] starts = new long[64];
  private long[] ends = new long[64];
  private int lastPidSeen = -1;
  private boolean lastPidTrusted = true;
  private long listedAt;
  private long listingCost;
  private long verifiedAt;
  private int refused;
  private int refusedErrno;

  /**
   * @param tasks becomes this one's to close
   */
  TimerDiscovery(
      SystemCalls calls,
      TaskList tasks,
      TimerThreads threads,
      int drainTid,
      ThreadStacks javaStacks) {
    this.tasks = tasks;
    this.threads = threads;
    this.queue = new SignalQueue();
    this.drainTid = drainTid;
    this.javaStacks = javaStacks;
    this.nativeStacks = new NativeStacks(calls);
  }

  /** Threads that were listed last and have no timer: the kernel gives none, or the budget ends. */
  int refused() {
    return refused;
  }

  /**
   * Gives all present threads their timers.
   *
   * @return how many
   */
  int attachAll() throws EngineRefusedException {
    lastPidSeen = lastPid.read();
    int count = tasks.read();
    if (count <= 0) {
      throw TimerRefusals.tasks(Libc.errno());
    }
    queue.measure(0);
    if (count > queue.budget()) {
      throw TimerRefusals.signalQueue(count, queue.budget());
    }
    attachListed(count, false);
    if (threads.live() == 0 && refused > 0) {
      throw TimerRefusals.timers(refusedErrno);
    }
    started.clear();
    listedAt = System.nanoTime();
    verifiedAt = listedAt;
    return threads.live();
  }

  /** Notes a thread that was started; 0 for one of unknown id. Any thread; never blocks. */
  void hint(int tid) {
    if (tid <= 0 || !hints.compareAndSet(tid & HINTS - 1, 0, tid)) {
      listNow.set(true);
    }
  }

  /** Looks for new and ended threads, where it is time to. */
  void look() {
    takeHints();
    long now = System.nanoTime();
    int pid = lastPidTrusted ? lastPid.read() : -1;
    boolean wanted = pid < 0 || pid != lastPidSeen || listNow.get();
    boolean affordable = now - listedAt >= COST_SHARE * listingCost;
    if (now - listedAt >= LISTING_NANOS || wanted && affordable) {
      listNow.set(false);
      long cpu = cpuTime.ofThread();
      list(pid);
      listedAt = now;
      listingCost = cpuTime.ofThread() - cpu;
    }
  }

  /** Tells the sink which threads have ended and which were found since the last call. */
  void report(EngineSink sink) {
    long now = System.nanoTime();
    for (int i = 0; i < ended.size(); i++) {
      sink.exited(now, ended.get(i));
    }
    for (int i = 0; i < started.size(); i++) {
      sink.started(now, started.get(i), 0);
    }
    ended.clear();
    started.clear();
  }

  private void list(int pid) {
    boolean quiet = pid >= 0 && pid == lastPidSeen;
    int count = tasks.read();
    if (count <= 0) {
      return;
    }
    if (System.nanoTime() - verifiedAt > VERIFY_NANOS) {
      verifiedAt = System.nanoTime();
      verify(count);
    }
    refused = 0;
    int before = started.size();
    attachListed(count, true);
    threads.sweep(ended);
    if (quiet && started.size() > before && lastPid.read() == pid) {
      // A thread was started, and the last id is what it was: it is not that of this kernel.
      lastPidTrusted = false;
    }
    lastPidSeen = pid;
  }

  /** What is looked at now and then: the budget, and whether an id has gone to another thread. */
  private void verify(int count) {
    queue.measure(threads.live());
    for (int i = 0; i < count; i++) {
      int tid = tasks.tids()[i];
      if (threads.isStale(tid)) {
        ended.add(tid);
        threads.detach(tid);
      }
    }
  }

  private void takeHints() {
    freshenWaiting();
    for (int i = 0; i < HINTS; i++) {
      int tid = hints.get(i) == 0 ? 0 : hints.getAndSet(i, 0);
      if (tid != 0 && isNew(tid)) {
        fresh.add(tid);
      }
    }
    attachFresh(true);
  }

  private void freshenWaiting() {
    fresh.clear();
    for (int i = 0; i < waiting.size(); i++) {
      fresh.add(waiting.get(i));
    }
  }

  private boolean isNew(int tid) {
    return !threads.see(tid) && tid != drainTid && waiting.indexOf(tid) < 0;
  }

  private void attachListed(int count, boolean fromBirth) {
    freshenWaiting();
    for (int i = 0; i < count; i++) {
      int tid = tasks.tids()[i];
      if (isNew(tid)) {
        fresh.add(tid);
      }
    }
    attachFresh(fromBirth);
  }

  /** Those whose stack is not known yet wait for the next look, if it is their birth. */
  private void attachFresh(boolean fromBirth) {
    int count = fresh.size();
    if (count == 0) {
      return;
    }
    findStacks(fresh, count);
    waiting.clear();
    for (int i = 0; i < count; i++) {
      int tid = fresh.get(i);
      long used = fromBirth && ends[i] == 0 ? threads.cpuOf(tid) : Long.MAX_VALUE;
      if (used > SILENT_NANOS) {
        attach(tid, starts[i], ends[i], fromBirth);
      } else if (used >= 0) {
        waiting.add(tid);
      }
    }
  }

  private void attach(int tid, long stackStart, long stackEnd, boolean fromBirth) {
    if (threads.live() >= queue.budget()) {
      refused++;
    } else if (threads.attach(tid, stackStart, stackEnd, fromBirth)) {
      started.add(tid);
    } else if (threads.errno() != Errno.EINVAL) { // which says that the thread has ended
      refused++;
      refusedErrno = threads.errno();
    }
  }

  /** Whether threads wait for a timer, so that the next look should be soon. */
  boolean isPressed() {
    return waiting.size() > 0;
  }

  private void findStacks(ThreadIds ids, int count) {
    if (starts.length < count) {
      starts = new long[2 * count];
      ends = new long[2 * count];
    }
    Arrays.fill(starts, 0, count, 0);
    Arrays.fill(ends, 0, count, 0);
    javaStacks.find(ids.array(), count, starts, ends);
    nativeStacks.find(ids.array(), count, starts, ends);
  }

  @Override
  public void close() {
    tasks.close();
    cpuTime.close();
    lastPid.close();
    nativeStacks.close();
    queue.close();
  }
}
