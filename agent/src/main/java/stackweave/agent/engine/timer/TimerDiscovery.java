package stackweave.agent.engine.timer;

import java.util.Arrays;
import stackweave.agent.engine.EngineRefusedException;
import stackweave.agent.engine.EngineSink;
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
 * Finds threads that were started and have ended, and gives them timers or takes those away.
 *
 * <p>Threads are listed when the machine has started one since the last list, at most so often that
 * it costs a fiftieth of a core, and in any case every {@link #LISTING_NANOS}. Those that somebody
 * tells of ({@link ThreadStarts}) get their timers first. For the drain thread only.
 */
final class TimerDiscovery implements AutoCloseable {
  /** A list is followed by so many times its cost without one. */
  private static final int COST_SHARE = 50;

  /**
   * First looks at new threads' masks cost a fiftieth of a core, and so much at once, in ns: some
   * 600 threads. So do further ones: neither is to keep the other from being made.
   */
  private static final int MASK_SHARE = 50;

  private static final long MASKS_AHEAD_NANOS = 30_000_000;

  private static final long LISTING_NANOS = 200_000_000L;
  private static final long VERIFY_NANOS = 2_000_000_000L;

  /**
   * A thread that has hardly run has told nobody of its stack. One that tells nothing after so much
   * CPU time is sampled without.
   */
  private static final long SILENT_NANOS = 1_000_000;

  /** Threads that are looked at again at a time: every two seconds some 30 ms, if as many run. */
  private static final int REVIEWED = 1024;

  /** Threads whose masks are looked at before sampling starts. */
  private static final int MAX_AT_START = 4096;

  /**
   * How soon threads of which it can't be told whether they take the signal are looked at again.
   */
  private static final long DOUBT_NANOS = 5_000_000;

  /** How many of them at a time. */
  private static final int DOUBTED_AT_ONCE = 64;

  private static final int YOUNG_AT_ONCE = 64;

  /** Where threads come faster, some are left to the next {@link #review}. */
  private static final int MAX_YOUNG = 1024;

  private final TimerThreads threads;
  private final SignalQueue queue;
  private final int drainTid;
  private final ThreadStacks javaStacks;
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

  /** Threads that got their timers after a single look, early in their lives. */
  private final ThreadIds young = new ThreadIds();

  /** How many of them were there when they were looked at last. */
  private int youngBefore;

  /** Those of {@link #attached} that were skipped so far. */
  private final ThreadIds resumed = new ThreadIds();

  /** Threads that were given a timer or are looked at again, whose stacks are to be found. */
  private final ThreadIds attached = new ThreadIds();

  private long[] attachedStarts = new long[64];
  private long[] attachedEnds = new long[64];
  private long[] starts = new long[64];
  private long[] ends = new long[64];

  /** Those that {@code Thread.start} has just told of. */
  private boolean[] told = new boolean[64];

  private ThreadStarts starter = ThreadStarts.NONE;
  private final ThreadStarts.Visitor addStarted = this::addStarted;
  private boolean listNow;
  private int lastPidSeen = -1;
  private boolean lastPidTrusted = true;
  private long listedAt;
  private long listingCost;
  private long verifiedAt;
  private long doubtedAt;
  private int nextDoubt;

  /** Threads that are passed over only as long as nothing is known of their masks. */
  private int doubtful;

  private int nextReview;
  private int refused;
  private int refusedErrno;

  /**
   * @param tasks becomes this one's to close
   */
  TimerDiscovery(
      SystemCalls calls,
      CallPolicy policy,
      MemoryAccess access,
      TaskList tasks,
      TimerThreads threads,
      int signal,
      int drainTid,
      ThreadStacks javaStacks) {
    this.tasks = tasks;
    this.threads = threads;
    this.queue = new SignalQueue();
    this.drainTid = drainTid;
    this.javaStacks = javaStacks;
    this.nativeStacks = new NativeStacks(calls, policy, access);
    this.masks = new SignalMasks(calls.architecture(), signal, access);
    this.passedOver = new PassedOver(masks);
  }

  /** Threads that were listed last and have no timer: the kernel gives none, or the budget ends. */
  int refused() {
    return refused;
  }

  /** Whether the C library says where its threads' stacks are. */
  boolean knowsThreads() {
    return nativeStacks.knowsThreads();
  }

  /** Threads that have no timer, for they block the signal or wait for it. Looks at all slots. */
  int blocked() {
    int count = 0;
    for (int slot = 0; slot < threads.slots() && threads.skipped() > 0; slot++) {
      boolean skipped = threads.tidAt(slot) != 0 && !threads.hasTimer(slot);
      count += skipped && passedOver.isSeenBlocking(slot, threads.tidAt(slot)) ? 1 : 0;
    }
    return count;
  }

  /** Threads that have no timer, for the signal's frame may not fit on their stacks. */
  int small() {
    int count = 0;
    for (int slot = 0; slot < threads.slots() && threads.skipped() > 0; slot++) {
      int tid = threads.tidAt(slot);
      count += tid != 0 && !threads.hasTimer(slot) && passedOver.isSmall(slot, tid) ? 1 : 0;
    }
    return count;
  }

  /** Threads that have no timer, for it has not been found out what they do with the signal. */
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

  /** Whether the kernel has hidden what calls threads were in. */
  boolean areCallsHidden() {
    return masks.areCallsHidden();
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
    if (threads.live() == 0 && threads.skipped() > 0 && doubtful == 0) {
      throw TimerRefusals.blocked(masks.signal(), threads.skipped());
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
    if (now - listedAt >= LISTING_NANOS || wanted && affordable) {
      listNow = false;
      long cpu = cpuTime.ofThread() - firstLooks.usedNanos(); // which has an allowance of its own
      list(pid);
      listedAt = now;
      listingCost = cpuTime.ofThread() - firstLooks.usedNanos() - cpu;
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
    takeStarted(); // of whom somebody has told, more is known
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
    review();
  }

  /**
   * Looks at threads again, so many at a time: whether they can take the signal, and where their
   * stacks are. Both may change, a guard be set up, a mask be taken back.
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

  /** Whether a thread with a timer takes the signal still; if it does not, the timer is gone. */
  private boolean takes(int slot, int tid) {
    Answer answer = passedOver.lookAnew(tid, false);
    if (answer == Answer.BLOCKS || answer == Answer.WAITS) {
      threads.suspend(slot);
      passedOver.add(slot, tid, answer, false, false);
      return false;
    }
    return true;
  }

  /** Looks at them again, after 5 to 10 ms: one that blocks signals does so early. */
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

  /** Looks at a thread that was passed over; it may have its timer now. */
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

  /** Some of those of which nothing is known yet. */
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
    freshenWaiting();
    attached.clear();
    listNow |= !starter.take(addStarted);
    beginAttached();
    attachFresh(true);
  }

  private void freshenWaiting() {
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

  /** One that a list has shown first, and that is in doubt since. */
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
    } else if (threads.errno() != Errno.EINVAL) { // which says that the thread has ended
      refused++;
      refusedErrno = threads.errno();
    }
  }

  /** Looked at where that is affordable; the others are {@linkplain #lookAtDoubtful in doubt}. */
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

  /** Whether threads wait for a timer, so that the next look should be soon. */
  boolean isPressed() {
    return waiting.size() > 0;
  }

  /** Of threads that have their timers: what is found is of those, not of a later namesake. */
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
