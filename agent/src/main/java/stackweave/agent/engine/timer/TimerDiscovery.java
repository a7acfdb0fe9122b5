package stackweave.agent.engine.timer;

import java.util.Arrays;
import stackweave.agent.engine.EngineRefusedException;
import stackweave.agent.engine.EngineSink;
import stackweave.agent.engine.SignalTargets;
import stackweave.agent.engine.ThreadStacks;
import stackweave.agent.engine.ThreadStarts;
import stackweave.agent.engine.timer.handler.TimerRefusals;
import stackweave.agent.engine.timer.mask.PassedOver;
import stackweave.agent.engine.timer.mask.SignalMasks;
import stackweave.agent.engine.timer.mask.SignalMasks.Answer;
import stackweave.agent.engine.timer.mask.SignalQueue;
import stackweave.agent.engine.timer.stack.NativeStacks;
import stackweave.agent.engine.timer.threads.ThreadIds;
import stackweave.agent.engine.timer.threads.TimerThreads;
import stackweave.agent.linux.CallPolicy;
import stackweave.agent.linux.CpuTime;
import stackweave.agent.linux.Errno;
import stackweave.agent.linux.LastPid;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.MemoryAccess;
import stackweave.agent.linux.SystemCalls;
import stackweave.agent.linux.TaskList;

/**
 * Finds started and ended threads, and creates or deletes their timers. Tasks are listed when the
 * machine has started one since the last listing, using at most a hundredth of a core, and at least
 * every {@link #LISTING_NANOS}, or less often where threads are thousands. Threads reported by
 * {@link ThreadStarts} get their timers before that. Used by {@link TimerEngine} on the drain
 * thread. A thread must not get a timer while it may block the signal or wait for it: the signal
 * would end its wait or stay pending.
 */
final class TimerDiscovery implements AutoCloseable {
  /** Pause after a listing, in multiples of its CPU time. */
  private static final int COST_SHARE = 100;

  /** The same of what is looked through though no thread was started: thousands may be idle. */
  private static final int QUIET_COST_SHARE = 200;

  /**
   * Limit of the CPU time for checking masks of new threads: a fiftieth of a core, with {@link
   * #MASKS_AHEAD_NANOS} saved up, which is some 600 threads. Checks of known threads have the same
   * limit apart, so that neither delays the other.
   */
  private static final int MASK_SHARE = 50;

  private static final long MASKS_AHEAD_NANOS = 30_000_000;

  private static final long LISTING_NANOS = 200_000_000L;
  private static final long VERIFY_NANOS = 2_000_000_000L;

  /**
   * CPU time after which a thread with unknown stack is sampled without it; one that has hardly run
   * may not have registered its stack yet.
   */
  private static final long SILENT_NANOS = 1_000_000;

  /** Threads checked again at a time: every two seconds some 30 ms, if as many run. */
  private static final int REVIEWED = 1024;

  /** Threads whose masks are checked before sampling starts. */
  private static final int MAX_AT_START = 4096;

  /** How often threads are checked of which it isn't known whether they take the signal. */
  private static final long DOUBT_NANOS = 5_000_000;

  /** How many of those are checked at a time. */
  private static final int DOUBTED_AT_ONCE = 64;

  private static final int YOUNG_AT_ONCE = 64;

  /** How long after that others are expected. */
  private static final long QUIET_NANOS = 2_000_000_000L;

  /** If threads start faster, some are left to the next {@link #review}. */
  private static final int MAX_YOUNG = 1024;

  private final TimerThreads threads;
  private final SignalQueue queue;
  private final int drainTid;
  private final ThreadStacks javaStacks;
  private final SignalTargets targets;
  private final NativeStacks nativeStacks;
  private final SignalMasks masks;
  private final PassedOver passedOver;
  private final TaskList tasks;
  private final CpuTime cpuTime = new CpuTime();
  private final CpuAllowance firstLooks = new CpuAllowance(cpuTime, MASK_SHARE, MASKS_AHEAD_NANOS);
  private final CpuAllowance furtherLooks =
      new CpuAllowance(cpuTime, MASK_SHARE, MASKS_AHEAD_NANOS);
  private final LastPid lastPid = new LastPid();
  private final ThreadIds fresh = new ThreadIds();
  private final ThreadIds waiting = new ThreadIds();
  private final ThreadIds started = new ThreadIds();
  private final ThreadIds ended = new ThreadIds();

  /** Threads that got their timers after a single check, soon after their start. */
  private final ThreadIds young = new ThreadIds();

  /** How many of them there were at the last check. */
  private int youngBefore;

  /** Those of {@link #attached} that had no timer before. */
  private final ThreadIds resumed = new ThreadIds();

  /** Threads with a new timer or being checked again, whose stacks are to be found. */
  private final ThreadIds attached = new ThreadIds();

  private long[] attachedStarts = new long[64];
  private long[] attachedEnds = new long[64];
  private long[] starts = new long[64];
  private long[] ends = new long[64];

  /** Whether {@code Thread.start} has just reported them. */
  private boolean[] told = new boolean[64];

  private final ThreadStarts.Visitor addStarted = this::addStarted;
  private boolean listNow;

  /** When threads were last reported to have started or ended. */
  private long reportedAt = System.nanoTime();

  private int lastPidSeen = -1;
  private boolean lastPidTrusted = true;
  private long listedAt;
  private long listingCost;
  private long verifiedAt;
  private long verifyCost;
  private long doubtedAt;
  private int nextDoubt;

  /** Threads without a timer only because nothing is known of their masks yet. */
  private int doubtful;

  private int nextReview;
  private int refused;
  private int refusedErrno;

  /**
   * @param tasks closed by this object
   */
  TimerDiscovery(
      SystemCalls calls,
      CallPolicy policy,
      MemoryAccess access,
      TaskList tasks,
      TimerThreads threads,
      int signal,
      int drainTid,
      ThreadStacks javaStacks,
      SignalTargets targets) {
    this.tasks = tasks;
    this.threads = threads;
    this.queue = new SignalQueue();
    this.drainTid = drainTid;
    this.javaStacks = javaStacks;
    this.targets = targets;
    this.nativeStacks = new NativeStacks(calls, policy, access);
    this.masks = new SignalMasks(calls.architecture(), signal, access);
    this.passedOver = new PassedOver(masks);
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

  /** Threads without a timer because they block the signal or wait for it. Scans all slots. */
  int blocked() {
    int count = 0;
    for (int slot = 0; slot < threads.slots() && threads.skipped() > 0; slot++) {
      boolean skipped = threads.tidAt(slot) != 0 && !threads.hasTimer(slot);
      count += skipped && passedOver.isSeenBlocking(slot, threads.tidAt(slot)) ? 1 : 0;
    }
    return count;
  }

  /** Threads without a timer because the signal's frame may not fit on their stacks. */
  int small() {
    int count = 0;
    for (int slot = 0; slot < threads.slots() && threads.skipped() > 0; slot++) {
      int tid = threads.tidAt(slot);
      count += tid != 0 && !threads.hasTimer(slot) && passedOver.isSmall(slot, tid) ? 1 : 0;
    }
    return count;
  }

  /** Threads without a timer because it is not known what they do with the signal. */
  int inDoubt() {
    int count = 0;
    for (int slot = 0; slot < threads.slots() && threads.skipped() > 0; slot++) {
      int tid = threads.tidAt(slot);
      boolean skipped = tid != 0 && !threads.hasTimer(slot);
      boolean told =
          masks.areCallsHidden()
              ? passedOver.isInDoubt(slot, tid)
              : passedOver.isLongInDoubt(slot, tid);
      count += skipped && told ? 1 : 0;
    }
    return count;
  }

  /** Whether the kernel does not show which system calls threads are in. */
  boolean areCallsHidden() {
    return masks.areCallsHidden();
  }

  /**
   * Creates timers for all present threads.
   *
   * @return how many
   * @throws EngineRefusedException if there can't be any
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
    if (threads.live() == 0 && threads.skipped() > 0 && !mayAnyTake()) {
      throw TimerRefusals.blocked(masks.signal(), threads.skipped());
    }
    started.clear();
    listedAt = System.nanoTime();
    verifiedAt = listedAt;
    return threads.live();
  }

  /**
   * Whether a living thread is in doubt. One that ended while it was looked at is so, too, and
   * where threads come and go there is always one.
   */
  private boolean mayAnyTake() {
    for (int slot = 0; slot < threads.slots() && doubtful > 0; slot++) {
      int tid = threads.tidAt(slot);
      if (tid != 0 && passedOver.isInDoubt(slot, tid) && masks.cpuNanos(tid) >= 0) {
        return true;
      }
    }
    return false;
  }

  /** Looks for new and ended threads, if it is time to. */
  void look() {
    takeStarted();
    long now = System.nanoTime();
    if (doubtful + young.size() > 0 && now - doubtedAt >= DOUBT_NANOS && furtherLooks.isLeft()) {
      doubtedAt = now;
      furtherLooks.begin();
      lookAtYoung();
      lookAtDoubtful(now);
      furtherLooks.end();
      beginAttached();
    }
    int pid = lastPidTrusted ? lastPid.read() : -1;
    boolean wanted = pid < 0 || pid != lastPidSeen || listNow;
    boolean affordable = now - listedAt >= COST_SHARE * listingCost;
    boolean due = now - listedAt >= Math.max(LISTING_NANOS, QUIET_COST_SHARE * listingCost);
    if (due || wanted && affordable) {
      listNow = false;
      long verified = verifiedAt;
      long cpu = cpuTime.ofThread() - firstLooks.usedNanos(); // which have their own limit
      list(pid);
      listedAt = now;
      listingCost =
          cpuTime.ofThread()
              - firstLooks.usedNanos()
              - cpu
              - (verified == verifiedAt ? 0 : verifyCost);
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
    long now = System.nanoTime();
    reportedAt = started.size() > 0 ? now : reportedAt;
    for (int i = 0; i < started.size(); i++) {
      sink.started(now, started.get(i), 0);
    }
    started.clear();
  }

  /**
   * The same of threads that have ended; to be called when all their samples were delivered. One
   * whose id is another thread's by now was reported by that one's start.
   */
  void reportEnded(EngineSink sink) {
    long now = System.nanoTime();
    reportedAt = ended.size() > 0 ? now : reportedAt;
    for (int i = 0; i < ended.size(); i++) {
      if (threads.slot(ended.get(i)) < 0) {
        sink.exited(now, ended.get(i));
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
    if (quiet && started.size() > before && lastPid.read() == pid) {
      // A thread was started without changing the last id: it is another kernel's or namespace's.
      lastPidTrusted = false;
    }
    lastPidSeen = pid;
  }

  /** Periodic checks: the budget, and whether ids belong to other threads now. */
  private void verify(int count) {
    queue.measure(threads.live());
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
      if (threads.hasTimer(slot)) {
        if (takes(slot, tid)) {
          addAttached(tid, 0, 0);
        } else {
          doubtful += passedOver.isInDoubt(slot, tid) ? 1 : 0;
        }
      } else if (!passedOver.isInDoubt(slot, tid) && !passedOver.isSmall(slot, tid)) {
        lookAgain(slot, tid);
      }
    }
    nextReview = threads.slots() == 0 ? 0 : nextReview % threads.slots();
    beginAttached();
  }

  /** Whether a thread with a timer still takes the signal; if not, deletes the timer. */
  private boolean takes(int slot, int tid) {
    Answer answer = passedOver.lookAnew(tid, false);
    if (answer == Answer.BLOCKS || answer == Answer.WAITS) {
      threads.suspend(slot);
      passedOver.add(slot, tid, answer, false, false);
      return false;
    }
    return true;
  }

  /**
   * Checks young threads again after 5 to 10 ms, since a thread that blocks signals does so early.
   */
  private void lookAtYoung() {
    int count = Math.min(youngBefore, YOUNG_AT_ONCE);
    for (int i = 0; i < count; i++) {
      int slot = threads.slot(young.get(i));
      if (slot >= 0 && threads.hasTimer(slot) && !takes(slot, young.get(i))) {
        doubtful += passedOver.isInDoubt(slot, young.get(i)) ? 1 : 0;
      }
    }
    young.removeFirst(count);
    youngBefore = young.size();
  }

  /** Checks a thread without a timer, which may get one now. */
  private void lookAgain(int slot, int tid) {
    if (passedOver.look(slot, tid, false)) {
      resume(slot, tid, 0, 0);
    }
  }

  private void resume(int slot, int tid, long stackStart, long stackEnd) {
    if (threads.live() < queue.budget() && threads.resume(slot)) {
      resumed.add(tid);
      addAttached(tid, stackStart, stackEnd);
      if (passedOver.isFromBirth(slot)) {
        started.add(tid);
      }
    }
  }

  /** Checks some of the threads of which nothing is known yet. */
  private void lookAtDoubtful(long now) {
    attached.clear();
    int left = DOUBTED_AT_ONCE;
    int slots = threads.slots();
    doubtful = 0;
    int from = nextDoubt;
    for (int i = 0; i < slots; i++) {
      int slot = (from + i) % slots;
      int tid = threads.tidAt(slot);
      if (tid == 0 || threads.hasTimer(slot) || !passedOver.isInDoubt(slot, tid)) {
        continue;
      }
      if (left > 0 && passedOver.isDue(slot, now)) {
        left--;
        nextDoubt = (slot + 1) % slots;
        lookAgain(slot, tid);
      }
      if (!threads.hasTimer(slot) && passedOver.isInDoubt(slot, tid)) {
        doubtful++;
      }
    }
  }

  private void beginAttached() {
    findStacks();
    for (int i = 0; i < attached.size(); i++) {
      int tid = attached.get(i);
      if (nativeStacks.isSmall(i)) {
        passOver(tid);
      } else if (resumed.indexOf(tid) >= 0) {
        long accountedFrom = passedOver.accountedFrom(threads.slot(tid));
        threads.begin(tid, attachedStarts[i], attachedEnds[i], accountedFrom);
      } else if (nativeStacks.readMaps()) {
        threads.setStack(tid, attachedStarts[i], attachedEnds[i]);
      }
    }
    resumed.clear();
  }

  private void takeStarted() {
    addWaiting();
    attached.clear();
    listNow |= !targets.threadStarts().take(addStarted);
    beginAttached();
    attachFresh(true);
  }

  private void addWaiting() {
    fresh.clear();
    for (int i = 0; i < waiting.size(); i++) {
      addFresh(waiting.get(i), 0, 0);
    }
  }

  private void addStarted(int tid, long stackStart, long stackEnd) {
    int slot = threads.slot(tid);
    if (slot >= 0) {
      lookAtTold(slot, tid, stackStart, stackEnd);
    } else if (isNew(tid) && fresh.indexOf(tid) < 0) {
      addFresh(tid, stackStart, stackEnd);
      told[fresh.size() - 1] = true;
    }
  }

  /** A started thread that a listing found first and that is in doubt since. */
  private void lookAtTold(int slot, int tid, long stackStart, long stackEnd) {
    if (!threads.hasTimer(slot) && passedOver.isInDoubt(slot, tid) && firstLooks.isLeft()) {
      firstLooks.begin();
      boolean takes = passedOver.look(slot, tid, true);
      firstLooks.end();
      if (takes) {
        resume(slot, tid, stackStart, stackEnd);
      }
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
      told = Arrays.copyOf(told, 2 * i);
    }
    told[i] = false;
    starts[i] = stackStart;
    ends[i] = stackEnd;
    fresh.add(tid);
  }

  private void attachListed(int count, boolean fromBirth) {
    addWaiting();
    for (int i = 0; i < count; i++) {
      int tid = tasks.tids()[i];
      if (isNew(tid)) {
        addFresh(tid, 0, 0);
      }
    }
    attachFresh(fromBirth);
  }

  /** Attaches the fresh threads; those just started with unknown stacks wait for the next check. */
  private void attachFresh(boolean fromBirth) {
    int count = fresh.size();
    if (count == 0) {
      return;
    }
    if (fromBirth && !nativeStacks.knowsThreads()) {
      javaStacks.find(fresh.array(), count, starts, ends);
    }
    waiting.clear();
    attached.clear();
    for (int i = 0; i < count; i++) {
      int tid = fresh.get(i);
      boolean waits = fromBirth && ends[i] == 0 && !nativeStacks.knows(tid);
      long used = waits ? threads.cpuOf(tid) : Long.MAX_VALUE;
      if (used > SILENT_NANOS) {
        attach(tid, starts[i], ends[i], fromBirth, told[i]);
      } else if (used >= 0) {
        waiting.add(tid);
      }
    }
    findStacks();
    for (int i = 0; i < attached.size(); i++) {
      if (nativeStacks.isSmall(i)) {
        passOver(attached.get(i));
      } else {
        threads.begin(attached.get(i), attachedStarts[i], attachedEnds[i], fromBirth ? 0 : -1);
      }
    }
  }

  private void passOver(int tid) {
    int slot = threads.slot(tid);
    if (slot >= 0 && threads.hasTimer(slot)) {
      threads.suspend(slot);
      passedOver.addSmall(slot, tid);
    }
  }

  private void attach(
      int tid, long stackStart, long stackEnd, boolean fromBirth, boolean justStarted) {
    if (threads.live() >= queue.budget()) {
      refused++;
      return;
    }
    Answer answer = look(tid, fromBirth, justStarted);
    if (answer != Answer.TAKES) {
      int slot = threads.skip(tid);
      if (slot >= 0) {
        passedOver.add(slot, tid, answer, fromBirth, !fromBirth);
        doubtful += passedOver.isInDoubt(slot, tid) ? 1 : 0;
      }
    } else if (threads.attach(tid)) {
      started.add(tid);
      addAttached(tid, stackStart, stackEnd);
      if (justStarted && young.size() < MAX_YOUNG) {
        young.add(tid);
      }
    } else if (threads.errno() != Errno.EINVAL) { // which means that the thread has ended
      refused++;
      refusedErrno = threads.errno();
    }
  }

  /**
   * Checks a new thread if CPU time is left for it; otherwise it is {@linkplain #lookAtDoubtful in
   * doubt}.
   */
  private Answer look(int tid, boolean fromBirth, boolean justStarted) {
    if (!fromBirth) {
      if (threads.live() < MAX_AT_START) {
        return passedOver.lookAnew(tid, false);
      }
      passedOver.forgetLook();
      return Answer.UNSURE;
    }
    if (!firstLooks.isLeft()) {
      passedOver.forgetLook();
      return Answer.UNSURE;
    }
    firstLooks.begin();
    Answer answer = passedOver.lookAnew(tid, justStarted);
    firstLooks.end();
    return answer;
  }

  private void addAttached(int tid, long stackStart, long stackEnd) {
    int i = attached.size();
    if (i == attachedEnds.length) {
      attachedStarts = Arrays.copyOf(attachedStarts, 2 * i);
      attachedEnds = Arrays.copyOf(attachedEnds, 2 * i);
    }
    attachedStarts[i] = stackStart;
    attachedEnds[i] = stackEnd;
    attached.add(tid);
  }

  /** Whether threads wait for a timer, so that the next check should be soon. */
  boolean isPressed() {
    return waiting.size() > 0;
  }

  /**
   * Finds the stacks of attached threads. They must have their timers already, so that the result
   * can't be of a later thread with the same id.
   */
  private void findStacks() {
    int count = attached.size();
    if (count == 0) {
      return;
    }
    if (!nativeStacks.knowsThreads()) {
      Arrays.fill(attachedEnds, 0, count, 0);
      javaStacks.find(attached.array(), count, attachedStarts, attachedEnds);
    }
    nativeStacks.find(attached.array(), count, attachedStarts, attachedEnds);
  }

  @Override
  public void close() {
    tasks.close();
    cpuTime.close();
    lastPid.close();
    nativeStacks.close();
    masks.close();
    queue.close();
  }
}
