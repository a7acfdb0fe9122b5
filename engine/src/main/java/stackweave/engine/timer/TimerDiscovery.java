package stackweave.engine.timer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.EngineSink;
import stackweave.engine.RefusalText;
import stackweave.engine.SignalTargets;
import stackweave.engine.ThreadStack;
import stackweave.engine.ThreadStacks;
import stackweave.engine.ThreadStarts;
import stackweave.engine.timer.handler.HandlerMemory;
import stackweave.engine.timer.stack.NativeStacks;
import stackweave.engine.timer.threads.PassedOver;
import stackweave.engine.timer.threads.TimerThreads;
import stackweave.jfr.control.EngineKind;
import stackweave.linux.CpuTime;
import stackweave.linux.Errno;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;
import stackweave.linux.TaskList;
import stackweave.linux.task.TaskFiles;

/**
 * Finds started and ended threads, and creates or deletes their timers. Tasks are listed when the
 * machine has started one since the last listing, using at most a hundredth of a core, and at least
 * every {@link #LISTING_NANOS}, or less often where threads are thousands. Threads reported by
 * {@link ThreadStarts} get their timers before that. Used by {@link TimerEngine} on the drain
 * thread.
 *
 * <p>A thread that blocks the signal or waits for it gets no timer: the signal would stay pending,
 * or end its wait. That is looked at when a timer is to be made, and every {@link #VERIFY_NANOS}.
 */
final class TimerDiscovery implements AutoCloseable, ThreadStarts.Visitor {
  /** Pause after a listing, in multiples of its CPU time. */
  private static final int COST_SHARE = 100;

  /** The same for periodic listings and checks without a started thread: thousands may be idle. */
  private static final int QUIET_COST_SHARE = 200;

  /** A fiftieth of a core for looks at new threads' masks, and some 1,000 looks saved up. */
  private static final int MASK_SHARE = 50;

  private static final long MASKS_AHEAD_NANOS = 30_000_000;

  private static final long LISTING_NANOS = 200_000_000L;
  private static final long VERIFY_NANOS = 2_000_000_000L;

  /**
   * CPU time after which a thread with unknown stack is sampled without it; one that has hardly run
   * may not have registered its stack yet.
   */
  private static final long SILENT_NANOS = 1_000_000;

  /** Threads checked again at a time, every two seconds; takes some 30 ms if as many run. */
  private static final int REVIEWED = 1024;

  /** When threads are checked again that perhaps blocked the signal for a moment only. */
  private static final long AGAIN_NANOS = 5_000_000;

  private static final int AGAIN_AT_ONCE = 64;

  /** If threads start faster, some are left to the next {@link #review}. */
  private static final int MOST_AGAIN = 1024;

  /**
   * How often a stack is looked for that was not known: musl lists a thread when its creator runs
   * again, which on a busy machine is tens of milliseconds after the thread has begun to run.
   */
  private static final int STACK_LOOKS = 20;

  /** How long after a start or an end others are expected. */
  private static final long QUIET_NANOS = 2_000_000_000L;

  /** Marks attached threads whose timers run already: only their stacks are looked up. */
  private static final long BEGUN = Long.MIN_VALUE;

  /** Marks threads whose CPU time so far is not accounted for. */
  private static final long FROM_NOW = -1;

  private final TimerThreads threads;
  private final int drainTid;
  private final int signal;
  private final ThreadStacks javaStacks;
  private final SignalTargets targets;
  private final NativeStacks nativeStacks;
  private final TaskFiles files;
  private final TaskList tasks;
  private final CpuTime cpuTime = new CpuTime();
  private final CpuAllowance looks = new CpuAllowance(cpuTime, MASK_SHARE, MASKS_AHEAD_NANOS);
  private final List<ThreadStack> fresh = new ArrayList<>();
  private final Set<Integer> waiting = new LinkedHashSet<>();
  private final List<Integer> started = new ArrayList<>();
  private final List<Integer> ended = new ArrayList<>();

  /** Threads to be checked again soon. */
  private final Deque<Again> again = new ArrayDeque<>();

  /** How many of them there were at the last look. */
  private int againBefore;

  private long againAt;

  /**
   * A thread to be checked again.
   *
   * @param looks as in {@link Attached}
   */
  private record Again(int tid, int looks) {}

  /** Threads with a new timer or being checked again, whose stacks are to be found. */
  private final List<Attached> attached = new ArrayList<>();

  /**
   * A thread whose stack is to be found.
   *
   * @param accountedFrom as {@link TimerThreads#begin} takes it, or {@link #BEGUN}
   * @param looks how many more are made soon if it is not found
   */
  private record Attached(ThreadStack stack, long accountedFrom, int looks) {}

  private boolean listNow;

  /** The most timers that may exist. */
  private long mostTimers;

  /** When threads were last reported to have started or ended. */
  private long reportedAt = System.nanoTime();

  private int lastPidSeen = -1;
  private boolean lastPidTrusted = true;
  private long listedAt;
  private long listingCost;
  private long verifiedAt;
  private long verifyCost;
  private int nextReview;
  private int refused;
  private int refusedErrno;

  /**
   * @param tasks closed by this object
   */
  TimerDiscovery(
      SystemCalls calls,
      EngineConfig config,
      TaskList tasks,
      TimerThreads threads,
      ThreadStacks javaStacks,
      SignalTargets targets) {
    this.tasks = tasks;
    this.threads = threads;
    this.drainTid = calls.gettid();
    this.signal = threads.signal();
    this.javaStacks = javaStacks;
    this.targets = targets;
    this.nativeStacks = new NativeStacks(calls, config.callPolicy(), config.memoryAccess());
    this.files = new TaskFiles(calls);
  }

  /**
   * Threads of the last listing without a timer because the kernel refused one or the budget is
   * used up.
   */
  int refused() {
    return refused;
  }

  /** Whether stacks are known from the C library's thread descriptors. */
  boolean knowsThreads() {
    return nativeStacks.knowsThreads();
  }

  /**
   * Creates timers for all present threads.
   *
   * @return how many
   * @throws EngineRefusedException if no timer can be created
   */
  int attachAll() throws EngineRefusedException {
    lastPidSeen = files.lastId();
    int count = tasks.read();
    if (count <= 0) {
      throw RefusalText.TIMER_TASKS.of(EngineKind.TIMER, Libc.errno());
    }
    measureQueue();
    if (count > mostTimers) {
      throw RefusalText.TIMER_SIGNAL_QUEUE.of(EngineKind.TIMER, 0, count, mostTimers);
    }
    attachListed(count, false);
    if (threads.live() == 0 && refused > 0) {
      throw refusal(refusedErrno);
    }
    if (threads.live() == 0 && threads.skipped() > 0) {
      throw RefusalText.TIMER_SIGNAL_BLOCKED.of(EngineKind.TIMER, 0, threads.skipped(), signal);
    }
    started.clear();
    listedAt = System.nanoTime();
    verifiedAt = listedAt;
    return threads.live();
  }

  /** The refusal if no thread's timer could be created, with timer_create's reason. */
  private static EngineRefusedException refusal(int errno) {
    RefusalText text =
        switch (errno) {
          case Errno.EPERM, Errno.EACCES -> RefusalText.TIMER_REFUSED;
          case Errno.ENOSYS -> RefusalText.TIMER_ABSENT;
          default -> RefusalText.TIMER_UNSUPPORTED;
        };
    return text.of(EngineKind.TIMER, errno);
  }

  /**
   * Each timer takes a place in the user's queue of signals (RLIMIT_SIGPENDING): at most half of
   * the free places may be used.
   */
  private void measureQueue() {
    long free = Long.MAX_VALUE;
    try (NativeBuffer limit = NativeBuffer.allocate(2 * Long.BYTES)) {
      if (Libc.getrlimit(Libc.RLIMIT_SIGPENDING, limit.address()) == 0
          && limit.bytes().getLong(0) >= 0) {
        long others = files.queuedSignals(drainTid) - threads.live();
        free = Math.max(0, limit.bytes().getLong(0) - others);
      }
    }
    mostTimers = Math.min(HandlerMemory.BLOCKS, free / 2);
  }

  /** Looks for new and ended threads, if it is time to. */
  void look() {
    takeStarted();
    long now = System.nanoTime();
    if (again.size() > 0 && now - againAt >= AGAIN_NANOS) {
      againAt = now;
      lookAgain();
    }
    int pid = lastPidTrusted ? files.lastId() : -1;
    boolean wanted = pid < 0 || pid != lastPidSeen || listNow;
    boolean affordable = now - listedAt >= COST_SHARE * listingCost;
    boolean due = now - listedAt >= Math.max(LISTING_NANOS, QUIET_COST_SHARE * listingCost);
    if (due || wanted && affordable) {
      listNow = false;
      long verified = verifiedAt;
      long cpu = cpuTime.ofThread() - looks.usedNanos(); // which have their own limit
      list(pid);
      listedAt = now;
      listingCost =
          cpuTime.ofThread() - looks.usedNanos() - cpu - (verified == verifiedAt ? 0 : verifyCost);
    }
  }

  /** Whether no thread was found lately to have started or ended, and none waits for a timer. */
  boolean isQuiet() {
    return started.size() + ended.size() == 0
        && !isPressed()
        && System.nanoTime() - reportedAt > QUIET_NANOS;
  }

  /** Reports to the sink which threads have started since the last call. */
  void reportStarted(EngineSink sink) {
    if (started.isEmpty()) {
      return;
    }
    long now = System.nanoTime();
    reportedAt = now;
    for (int tid : started) {
      sink.started(now, tid, 0);
    }
    started.clear();
  }

  /**
   * Reports threads that have ended; to be called when all their samples were delivered. If an id
   * has been reused, the start of its new thread has reported the end.
   */
  void reportEnded(EngineSink sink) {
    if (ended.isEmpty()) {
      return;
    }
    long now = System.nanoTime();
    reportedAt = now;
    for (int tid : ended) {
      if (threads.slot(tid) < 0) {
        sink.exited(now, tid);
      }
    }
    ended.clear();
  }

  private void list(int pid) {
    boolean quiet = pid >= 0 && pid == lastPidSeen;
    int count = tasks.read();
    if (count <= 0) {
      return;
    }
    long pause = Math.max(VERIFY_NANOS, QUIET_COST_SHARE * verifyCost);
    if (System.nanoTime() - verifiedAt > pause) {
      verifiedAt = System.nanoTime();
      long cpu = cpuTime.ofThread();
      verify(count);
      verifyCost = cpuTime.ofThread() - cpu;
    }
    refused = 0;
    int before = started.size();
    takeStarted(); // first, since their stacks are known
    attachListed(count, true);
    threads.sweep(ended);
    if (quiet && started.size() > before && files.lastId() == pid) {
      // A thread was started without changing the last id, so that is another namespace's.
      lastPidTrusted = false;
    }
    lastPidSeen = pid;
  }

  /** Periodic checks of the budget, and of whether ids were reused. */
  private void verify(int count) {
    measureQueue();
    for (int i = 0; i < count; i++) {
      int tid = tasks.tids()[i];
      if (threads.isStale(tid)) {
        ended.add(tid);
        threads.detach(tid);
      }
    }
    review();
  }

  /**
   * Checks a number of threads again: whether they can take the signal, and where their stacks are.
   * Both may change, as when a guard is set up or a mask is restored.
   */
  private void review() {
    attached.clear();
    for (int i = Math.min(threads.slots(), REVIEWED); i > 0; i--) {
      int slot = nextReview++ % threads.slots();
      int tid = threads.tidAt(slot);
      if (tid == 0) {
        continue;
      }
      if (!threads.hasTimer(slot)) {
        takeUp(slot);
        continue;
      }
      PassedOver why = whyNot(tid);
      if (why == null || why == PassedOver.BLOCKS_NOW) { // or its mask can't be read now
        attached.add(new Attached(new ThreadStack(tid, 0, 0), BEGUN, 0));
      } else {
        threads.suspend(slot, why == PassedOver.BLOCKS ? PassedOver.BLOCKS_NOW : why);
        lookSoonAt(tid, STACK_LOOKS);
      }
    }
    nextReview = threads.slots() == 0 ? 0 : nextReview % threads.slots();
    beginAttached();
  }

  /**
   * Checks threads once more that may have blocked the signal for a moment only, or whose stacks
   * were not known yet.
   */
  private void lookAgain() {
    attached.clear();
    int count = Math.min(againBefore, AGAIN_AT_ONCE);
    for (int i = 0; i < count && looks.isLeft(); i++) {
      Again one = again.remove();
      int slot = threads.slot(one.tid());
      if (slot < 0) {
        continue;
      }
      if (threads.hasTimer(slot)) {
        attached.add(new Attached(new ThreadStack(one.tid(), 0, 0), BEGUN, one.looks() - 1));
      } else {
        looks.begin();
        takeUp(slot);
        looks.end();
      }
    }
    againBefore = again.size();
    beginAttached();
  }

  private void lookSoonAt(int tid, int looks) {
    if (again.size() < MOST_AGAIN) {
      again.add(new Again(tid, looks));
    }
  }

  /**
   * Checks whether a thread would take the signal.
   *
   * @return null if so
   */
  private PassedOver whyNot(int tid) {
    long mask = files.blockedSignals(tid);
    if ((mask >>> signal - 1 & 1) != 0) {
      return mask == -1 ? PassedOver.BLOCKS_NOW : PassedOver.BLOCKS;
    }
    return files.waitsForSignal(tid) ? PassedOver.WAITS : null;
  }

  /** Makes the timer of a thread that was passed over, if it takes the signal now. */
  private void takeUp(int slot) {
    if (threads.passedOver(slot).isForLife()) {
      return;
    }
    int tid = threads.tidAt(slot);
    boolean isStarting = threads.passedOver(slot) == PassedOver.STARTING;
    PassedOver why = whyNot(tid);
    if (why != null) {
      threads.passOver(slot, why);
    } else if (threads.live() < mostTimers && threads.resume(slot)) {
      attached.add(
          new Attached(new ThreadStack(tid, 0, 0), isStarting ? 0 : FROM_NOW, STACK_LOOKS));
      if (isStarting) {
        started.add(tid);
      }
    }
  }

  private void takeStarted() {
    addWaiting();
    listNow |= !targets.threadStarts().take(this);
    attachFresh(true);
  }

  private void addWaiting() {
    fresh.clear();
    if (!waiting.isEmpty()) {
      waiting.forEach(tid -> fresh.add(new ThreadStack(tid, 0, 0)));
    }
  }

  @Override
  public void started(int tid, long stackStart, long stackEnd) {
    if (isNew(tid)) {
      for (ThreadStack thread : fresh) {
        if (thread.tid() == tid) {
          return;
        }
      }
      fresh.add(new ThreadStack(tid, stackStart, stackEnd));
    }
  }

  private boolean isNew(int tid) {
    return !threads.see(tid) && tid != drainTid && !waiting.contains(tid);
  }

  private void attachListed(int count, boolean fromBirth) {
    addWaiting();
    for (int i = 0; i < count; i++) {
      int tid = tasks.tids()[i];
      if (isNew(tid)) {
        fresh.add(new ThreadStack(tid, 0, 0));
      }
    }
    attachFresh(fromBirth);
  }

  /** Attaches the fresh threads; those just started with unknown stacks wait for the next check. */
  private void attachFresh(boolean fromBirth) {
    if (fresh.isEmpty()) {
      return;
    }
    if (fromBirth && !nativeStacks.knowsThreads()) {
      javaStacks.find(fresh);
    }
    waiting.clear();
    attached.clear();
    for (ThreadStack thread : fresh) {
      int tid = thread.tid();
      boolean waits = fromBirth && thread.end() == 0 && !nativeStacks.knows(tid);
      long used = waits ? threads.cpuOf(tid) : Long.MAX_VALUE;
      if (used > SILENT_NANOS) {
        attach(thread, fromBirth);
      } else if (used >= 0) {
        waiting.add(tid);
      }
    }
    beginAttached();
  }

  private void attach(ThreadStack thread, boolean fromBirth) {
    int tid = thread.tid();
    if (threads.live() >= mostTimers) {
      refused++;
      return;
    }
    PassedOver why = fromBirth ? whyNotYet(tid) : whyNot(tid);
    if (why != null) {
      threads.skip(tid, why);
      lookSoonAt(tid, STACK_LOOKS);
    } else if (threads.attach(tid)) {
      started.add(tid);
      attached.add(new Attached(thread, fromBirth ? 0 : FROM_NOW, STACK_LOOKS));
    } else if (threads.errno() != Errno.EINVAL) { // which means that the thread has ended
      refused++;
      refusedErrno = threads.errno();
    }
  }

  /** As {@link #whyNot}, of a thread that has just started, if CPU time is left for that. */
  private PassedOver whyNotYet(int tid) {
    if (!looks.isLeft()) {
      return PassedOver.STARTING;
    }
    looks.begin();
    PassedOver why = whyNot(tid);
    looks.end();
    return why == null || why.isForLife() ? why : PassedOver.STARTING;
  }

  /** Whether threads wait for a timer, so that the next check should be soon. */
  boolean isPressed() {
    return waiting.size() > 0;
  }

  /** Finds the stacks of the attached threads and starts those timers that don't run yet. */
  private void beginAttached() {
    if (attached.isEmpty()) {
      return;
    }
    findStacks();
    for (Attached thread : attached) {
      ThreadStack stack = thread.stack();
      if (stack.isSmall()) {
        passOver(stack.tid());
        continue;
      }
      if (thread.accountedFrom() != BEGUN) {
        threads.begin(stack.tid(), stack.start(), stack.end(), thread.accountedFrom());
      } else if (nativeStacks.readMaps()) {
        threads.setStack(stack.tid(), stack.start(), stack.end());
      }
      if (stack.end() == 0 && thread.looks() > 0) {
        lookSoonAt(stack.tid(), thread.looks());
      }
    }
  }

  private void passOver(int tid) {
    int slot = threads.slot(tid);
    if (slot >= 0 && threads.hasTimer(slot)) {
      threads.suspend(slot, PassedOver.SMALL_STACK);
    }
  }

  /**
   * Finds the stacks of attached threads. They must have their timers already, so that the result
   * can't be of a later thread with the same id.
   */
  private void findStacks() {
    List<ThreadStack> stacks = new ArrayList<>();
    for (Attached thread : attached) {
      stacks.add(thread.stack());
    }
    if (!nativeStacks.knowsThreads()) {
      for (ThreadStack stack : stacks) {
        stack.set(0, 0);
      }
      javaStacks.find(stacks);
    }
    nativeStacks.find(stacks);
  }

  @Override
  public void close() {
    tasks.close();
    cpuTime.close();
    nativeStacks.close();
    files.close();
  }
}
