package stackweave.agent.engine;

import java.util.Arrays;
import stackweave.agent.linux.CallPolicy;
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
 * it costs a fiftieth of a core, and in any case every {@link #LISTING_NANOS}. Those that somebody
 * tells of ({@link ThreadStarts}) get their timers first. For the drain thread only.
 */
final class TimerDiscovery implements AutoCloseable {
  /** A list is followed by so many times its cost without one. */
  private static final int COST_SHARE = 50;

  private static final long LISTING_NANOS = 200_000_000L;
  private static final long VERIFY_NANOS = 2_000_000_000L;

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
  private final ThreadIds fresh = new ThreadIds();
  private final ThreadIds waiting = new ThreadIds();
  private final ThreadIds started = new ThreadIds();
  private final ThreadIds ended = new ThreadIds();
  private long[] starts = new long[64];
  private long[] ends = new long[64];
  private ThreadStarts starter = ThreadStarts.NONE;
  private final ThreadStarts.Visitor addStarted = this::addStarted;
  private boolean listNow;
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
      CallPolicy policy,
      TaskList tasks,
      TimerThreads threads,
      int drainTid,
      ThreadStacks javaStacks) {
    this.tasks = tasks;
    this.threads = threads;
    this.queue = new SignalQueue();
    this.drainTid = drainTid;
    this.javaStacks = javaStacks;
    this.nativeStacks = new NativeStacks(calls, policy);
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

  void follow(ThreadStarts starts) {
    starter = starts;
  }

  /** Looks for new and ended threads, where it is time to. */
  void look() {
    takeStarted();
    long now = System.nanoTime();
    int pid = lastPidTrusted ? lastPid.read() : -1;
    boolean wanted = pid < 0 || pid != lastPidSeen || listNow;
    boolean affordable = now - listedAt >= COST_SHARE * listingCost;
    if (now - listedAt >= LISTING_NANOS || wanted && affordable) {
      listNow = false;
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

  private void takeStarted() {
    freshenWaiting();
    listNow |= !starter.take(addStarted);
    attachFresh(true);
  }

  private void freshenWaiting() {
    fresh.clear();
    for (int i = 0; i < waiting.size(); i++) {
      addFresh(waiting.get(i), 0, 0);
    }
  }

  private void addStarted(int tid, long stackStart, long stackEnd) {
    if (isNew(tid) && fresh.indexOf(tid) < 0) {
      addFresh(tid, stackStart, stackEnd);
    }
  }

  private boolean isNew(int tid) {
    return !threads.see(tid) && tid != drainTid && waiting.indexOf(tid) < 0;
  }

  private void addFresh(int tid, long stackStart, long stackEnd) {
    int i = fresh.size();
    if (i == starts.length) {
      starts = Arrays.copyOf(starts, 2 * i);
      ends = Arrays.copyOf(ends, 2 * i);
    }
    starts[i] = stackStart;
    ends[i] = stackEnd;
    fresh.add(tid);
  }

  private void attachListed(int count, boolean fromBirth) {
    freshenWaiting();
    for (int i = 0; i < count; i++) {
      int tid = tasks.tids()[i];
      if (isNew(tid)) {
        addFresh(tid, 0, 0);
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
    findStacks(count);
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

  private void findStacks(int count) {
    boolean known = true;
    for (int i = 0; i < count; i++) {
      known &= ends[i] != 0;
    }
    if (!known) {
      javaStacks.find(fresh.array(), count, starts, ends);
    }
    nativeStacks.find(fresh.array(), count, starts, ends);
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
