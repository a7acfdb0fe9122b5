package stackweave.agent.feature.waiting;

import stackweave.agent.decode.thread.SampledThreads;
import stackweave.agent.feature.FeatureSession;
import stackweave.agent.message.Notes;
import stackweave.agent.option.WallFilter;
import stackweave.hotspot.runtime.BlockedJavaThread;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.store.EventStore;
import stackweave.linux.CpuTime;
import stackweave.linux.TaskList;
import stackweave.linux.ThreadCount;
import stackweave.linux.task.TaskFiles;
import stackweave.unwind.StopReason;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Looks at all threads from outside and writes where they wait, and for how long. A thread whose
 * CPU clock stands still has not run: its stack stays true for the whole time since the last look,
 * which costs one system call. Where the clock has moved, the time between is what it ran, what it
 * waited for a CPU, and the rest: blocked, half of that with the stack before and half with the one
 * after. Driven by the drain thread, between two batches of samples; must not block, signal or wake
 * anybody. Allocates nothing per look.
 */
final class WallSampler implements FeatureSession {
  /**
   * The longest time until what is known is written: so long for each thread, within limits. What
   * is not written is lost if the JVM ends and this thread gets no CPU.
   */
  private static final long WRITE_NANOS_A_THREAD = 1_000_000L;

  private static final long MIN_WRITE_NANOS = 1_000_000_000L;
  private static final long MAX_WRITE_NANOS = 10_000_000_000L;

  /** How often threads are listed, and how often if their number has changed. */
  private static final long LIST_NANOS = 1_000_000_000L;

  private static final long LIST_CHANGED_NANOS = 50_000_000L;

  /** A listing is followed by so many times the time it took without one. */
  private static final int LIST_COST_SHARE = 200;

  /** How often the budget is checked: after so many looks that read no stack. */
  private static final int LOOKS_PER_CHECK = 32;

  /** How long a flush may ask the kernel of threads: a chunk's end waits for it. */
  private static final long MAX_FLUSH_NANOS = 20_000_000L;

  /** How long a pass may take: the engine's samples wait meanwhile. */
  private static final long MAX_PASS_NANOS = 4_000_000L;

  /** From the end of a pass that took so long to the next. */
  private static final long PASS_PAUSE_NANOS = 1_000_000L;

  /** The longest wait between two passes, in ms. */
  private static final int MAX_WAIT_MILLIS = 40;

  /** Threads that ran when they were looked at, to be looked at again in the same pass. */
  private static final int MAX_AGAIN = 64;

  /** How a walk through due threads ended. */
  private enum Walk {
    ENDED,
    NO_CREDIT,
    NO_TIME
  }

  private final WallParts what;
  private final long sinceNanos;
  private final EventStore store;
  private final WallDecoder decoder;
  private final BlockedStacks stacks;
  private final TaskFiles files;
  private final CpuTime clocks;
  private final WaitReason reason;
  private final WallFilter filter;
  private final TaskList tasks;
  private final ThreadCount threadCount;
  private final int ownTid;
  private final int processId;
  private final Counters counters;
  private final WallBudget budget;
  private final WallThreads threads = new WallThreads();
  private final WallSchedule schedule;
  private final WallWriter writer;
  private int lastCount;
  private long listedAt;

  /** When those of the last list were all still there, as far as their number says. */
  private long presentAt;

  private long listCost;
  private long nextPassAt;
  private long writeNanos = MIN_WRITE_NANOS;
  private final int[] again = new int[MAX_AGAIN];
  private int againCount;
  private boolean postponed;
  private boolean denied;
  private final MissingVirtualThreads virtualThreads = new MissingVirtualThreads();

  /**
   * @param what what it works with; closed with this
   * @param sinceNanos when waiting threads were asked for, by {@link System#nanoTime}: the time of
   *     threads that were started later counts from their start
   * @param intervalNanos wall-clock time between two looks at a thread that runs now and then
   * @param drainPercent what the drain thread may use, in percent of a core
   * @param counters where it counts
   */
  WallSampler(
      WallParts what,
      long sinceNanos,
      long intervalNanos,
      int drainPercent,
      WallFilter filter,
      Counters counters) {
    this.what = what;
    this.sinceNanos = sinceNanos;
    this.store = what.store;
    this.decoder = what.decoder;
    this.stacks = what.stacks;
    this.files = what.files;
    this.clocks = what.clocks;
    this.reason = what.reason;
    this.tasks = what.tasks;
    this.threadCount = what.threadCount;
    this.ownTid = what.ownTid;
    this.processId = what.processId;
    this.filter = filter;
    this.counters = counters;
    this.schedule = new WallSchedule(threads, intervalNanos);
    this.writer = new WallWriter(threads, store, decoder, counters);
    long now = System.nanoTime();
    this.budget = new WallBudget(drainPercent, now);
    this.listedAt = now - LIST_NANOS;
    this.nextPassAt = now;
    counters.set(Counter.WALL_INTERVAL, intervalNanos);
  }

  /** How long the drain thread may wait until the next {@link #pass}, in ms, at least 1. */
  @Override
  public int waitMillis() {
    long left = (nextPassAt - System.nanoTime()) / 1_000_000;
    return (int) Math.max(1, Math.min(MAX_WAIT_MILLIS, left));
  }

  /** What is to know of the samples of waiting threads, or empty. */
  @Override
  public String note() {
    Notes note = new Notes();
    if (denied) {
      note.add(
          "of waiting threads only Java frames are read: /proc/self/task/TID/syscall can't be read"
              + " (the process is not dumpable)");
    }
    note.add(virtualThreads.note());
    if (postponed) {
      note.add(
          "waiting threads were looked at less often than asked, to use no more than "
              + Math.round(10 * budget.percent()) / 10.0
              + " % of a core for them (a fifth of drain=)");
    }
    return note.toString();
  }

  /** Looks at the threads that are due, if it is time to. After the engine's samples. */
  @Override
  public void pass() {
    long now = System.nanoTime();
    if (now - nextPassAt < 0) {
      return;
    }
    budget.begin(now);
    long debt = budget.nanosInDebt();
    if (debt > 0) {
      // Nothing is done until it is paid: passes without looks would use it up, too.
      postponed = true;
      nextPassAt = now + debt;
      return;
    }
    long begin = clocks.ofThread();
    listIfDue(now);
    virtualThreads.countIfDue(now);
    boolean isInTime = lookAround(now, begin, Math.max(1, budget.credit()));
    long used = clocks.ofThread() - begin;
    budget.used(used);
    counters.add(Counter.WALL_CPU, used);
    counters.set(Counter.WALL_THREADS, threads.count(WallThreads.WATCHED));
    nextPassAt = System.nanoTime() + (isInTime ? schedule.passPause() : PASS_PAUSE_NANOS);
  }

  /**
   * Looks at due threads, as far as the credit reaches.
   *
   * @param begin CPU time of this thread when the pass began, in ns
   * @return false if the pass has taken long enough and is to go on soon
   */
  private boolean lookAround(long now, long begin, long credit) {
    againCount = 0;
    WallSchedule.Group first = schedule.first();
    Walk walk = lookAround(first, now, begin, credit);
    long between = clocks.ofThread();
    schedule.spent(first, between - begin);
    if (walk == Walk.ENDED) {
      walk = lookAround(first.other(), now, begin, credit);
      schedule.spent(first.other(), clocks.ofThread() - between);
    }
    if (walk == Walk.ENDED) {
      lookAgain();
    }
    switch (walk) {
      case ENDED -> schedule.allServed();
      case NO_CREDIT -> postponed |= schedule.isAnyDue(now);
      case NO_TIME -> {
        return false;
      }
    }
    return true;
  }

  /**
   * Looks at those that ran: what they wait for next says what they did. The next look at another
   * time would not: a thread that runs now and then between short waits is seen to run more often
   * than in long ones, all the more as this thread takes a CPU from it.
   */
  private void lookAgain() {
    int count = againCount;
    for (int k = 0; k < count; k++) {
      int i = again[k];
      if (threads.kind[i] == WallThreads.WATCHED) {
        look(i);
      }
    }
  }

  private Walk lookAround(WallSchedule.Group group, long now, long begin, long credit) {
    schedule.walk(group);
    int unchecked = 0;
    for (int i = schedule.next(now); i >= 0; i = schedule.next(now)) {
      boolean cheap = look(i);
      if (cheap && ++unchecked < LOOKS_PER_CHECK) {
        continue;
      }
      unchecked = 0;
      boolean isSpent = clocks.ofThread() - begin > credit;
      if (isSpent || System.nanoTime() - now > MAX_PASS_NANOS) {
        schedule.stop();
        return isSpent ? Walk.NO_CREDIT : Walk.NO_TIME;
      }
    }
    return Walk.ENDED;
  }

  // ---- which threads there are

  private void listIfDue(long now) {
    int count = threadCount.read();
    long before = presentAt;
    if (count == lastCount) {
      presentAt = now;
    }
    long least = count == lastCount ? LIST_NANOS : LIST_CHANGED_NANOS;
    if (now - listedAt < Math.max(least, LIST_COST_SHARE * listCost)) {
      return;
    }
    lastCount = count;
    store.expectThreads(count);
    int listed = tasks.read();
    // Without what new threads cost: that isn't paid again.
    long took = System.nanoTime() - now;
    listedAt = now;
    presentAt = now;
    if (listed < 0) {
      return;
    }
    threads.beginListing();
    for (int n = 0; n < listed; n++) {
      int tid = tasks.tids()[n];
      int i = tid == ownTid ? -1 : threads.list(tid);
      if (i >= 0) {
        begin(i, tid);
        budget.newThread();
      }
    }
    writeNanos =
        Math.max(MIN_WRITE_NANOS, Math.min(MAX_WRITE_NANOS, listed * WRITE_NANOS_A_THREAD));
    long relisted = System.nanoTime();
    for (int i = 0; i < threads.limit(); i++) {
      if (threads.kind[i] != WallThreads.FREE && !threads.isListed(i)) {
        end(i, before);
      } else {
        reconsider(i);
      }
    }
    took += System.nanoTime() - relisted;
    listCost = listCost == 0 ? took : Math.min(took, 2 * listCost);
  }

  /**
   * Of a thread that was started since waiting threads were asked for, all of its life counts: what
   * it did neither run nor wait for a CPU belongs to the wait that it is seen in first. Of others
   * it is not known what they used before.
   */
  private void begin(int i, int tid) {
    long delay = files.runDelay(tid);
    long age = files.age(tid);
    long now = System.nanoTime();
    if (age >= 0 && delay >= 0 && now - age - sinceNanos >= 0) {
      threads.reset(i, 0, 0, now - age);
    } else {
      threads.reset(i, clocks.ofThread(tid), delay, now);
    }
  }

  /** A thread that was left out may be in the JVM's list now, or have another name. */
  private void reconsider(int i) {
    byte kind = threads.kind[i];
    if (kind != WallThreads.OF_JVM && kind != WallThreads.EXCLUDED) {
      return;
    }
    SampledThreads.Entry thread = decoder.thread(threads.tid(i));
    boolean isNew =
        kind == WallThreads.OF_JVM ? thread.isJava() : thread.threadId() != threads.ownKey[i];
    if (isNew) {
      if (kind == WallThreads.EXCLUDED) {
        int tid = threads.tid(i);
        threads.reset(i, clocks.ofThread(tid), files.runDelay(tid), System.nanoTime());
      }
      threads.setKind(i, WallThreads.NEW);
    }
  }

  /**
   * What has passed since the last look belongs to the wait that was seen then. When it ended is
   * not known: in the midst of the time since it was last there.
   *
   * @param present when it was listed, or the number of threads was still that of the list
   */
  private void end(int i, long present) {
    long there = Math.max(threads.lookedAt[i], present);
    long now = there + Math.max(0, System.nanoTime() - there) / 2;
    if (threads.kind[i] == WallThreads.WATCHED
        && threads.hasStack[i]
        && threads.generation[i] == decoder.generation()) {
      rest(i, now);
    }
    writer.writeAll(i, now);
    decoder.exited(threads.tid(i));
    threads.remove(i);
  }

  /** Decides whether a thread is looked at. False if that isn't known yet. */
  private boolean isDecided(int i, SampledThreads.Entry thread) {
    if (!thread.isJava() && !decoder.isLookedFor(thread)) {
      return false; // nor is it, of one that is watched, when a new generation has begun
    }
    if (threads.kind[i] != WallThreads.NEW) {
      return true;
    }
    if (!thread.isJava() && threads.tid(i) == processId && !filter.includesJvm()) {
      // The launcher's thread, which waits for the one that runs main.
      threads.setKind(i, WallThreads.OF_JVM);
      return true;
    }
    threads.ownKey[i] = thread.threadId();
    threads.ownGeneration[i] = decoder.generation();
    boolean included = filter.includes(thread.name());
    threads.setKind(i, included ? WallThreads.WATCHED : WallThreads.EXCLUDED);
    return true;
  }

  // ---- a look

  /** Looks at a thread; returns whether it was only found not to have run. */
  private boolean look(int i) {
    int tid = threads.tid(i);
    long cpu = clocks.ofThread(tid);
    long now = System.nanoTime();
    if (cpu < 0) {
      end(i, presentAt);
      return false;
    }
    if (cpu < threads.cpu[i]) {
      restart(i, cpu, now); // another thread, with the same id
    }
    boolean rested = cpu == threads.cpu[i];
    if (rested && threads.hasStack[i] && threads.generation[i] == decoder.generation()) {
      rest(i, now);
      if (now - threads.writtenAt[i] >= writeNanos) {
        writer.write(i, now);
      }
      return true;
    }
    read(i, tid, cpu, rested);
    return false;
  }

  private void restart(int i, long cpu, long now) {
    int tid = threads.tid(i);
    writer.writeAll(i, now);
    decoder.exited(tid);
    threads.reset(i, cpu, files.runDelay(tid), now);
    threads.setKind(i, WallThreads.NEW);
  }

  /** It has not run since the last look. */
  private void rest(int i, long now) {
    long passed = now - threads.lookedAt[i];
    threads.blocked[i] += passed;
    threads.accounted[i] += passed;
    threads.lookedAt[i] = now;
    threads.due[i] = now + schedule.restPause(now - threads.restsSince[i]);
  }

  /** It has run, or it is not known what it waits for. */
  private void read(int i, int tid, long cpu, boolean rested) {
    SampledThreads.Entry thread = decoder.thread(tid);
    if (isRenamed(i, thread)) {
      writer.write(i, System.nanoTime());
      threads.setKind(i, WallThreads.NEW);
    }
    if (!isDecided(i, thread)) {
      threads.due[i] = System.nanoTime() + schedule.undecidedPause();
      return;
    }
    if (threads.kind[i] != WallThreads.WATCHED) {
      return;
    }
    if (thread.isCarrier()) {
      virtualThreads.met();
    }
    threads.ownKey[i] = thread.threadId();
    threads.ownGeneration[i] = decoder.generation();
    BlockedStacks.Outcome outcome = stacks.read(tid, thread.stackEnd, thread.vmThread, cpu, rested);
    denied |= stacks.isDenied();
    if (outcome == BlockedStacks.Outcome.ENDED) {
      end(i, presentAt);
      return;
    }
    if (outcome == BlockedStacks.Outcome.READ || outcome == BlockedStacks.Outcome.UNREAD) {
      take(i, tid, thread, outcome);
    } else {
      pass(i, tid);
      if (againCount < MAX_AGAIN) {
        again[againCount++] = i;
      }
    }
    threads.due[i] = System.nanoTime() + schedule.shortPause();
  }

  /** Whether it has another name than when it was chosen: the next may be left out. */
  private boolean isRenamed(int i, SampledThreads.Entry thread) {
    return threads.kind[i] == WallThreads.WATCHED
        && threads.ownGeneration[i] == decoder.generation()
        && threads.ownKey[i] != 0
        && threads.ownKey[i] != thread.threadId();
  }

  /** It runs, or ran while it was read: no stack, and half of its blocked time waits for one. */
  private void pass(int i, int tid) {
    long now = stacks.timeNanos();
    if (stacks.cpuNanos() == threads.cpu[i]) {
      // It waits for a CPU, which the kernel accounts when it gets one.
      return;
    }
    long rest = account(i, tid, stacks.cpuNanos(), now);
    if (threads.hasStack[i]) {
      threads.blocked[i] += rest / 2;
      rest -= rest / 2;
      writer.write(i, now);
      threads.hasStack[i] = false;
    }
    oweOrCarry(i, rest);
  }

  /** Blocked time is that of the wait that was seen at the end of it, or of the next that is. */
  private void oweOrCarry(int i, long nanos) {
    if (stacks.wasSeen() && threads.carried[i] >= 0) {
      threads.owe(i, stacks.seenSp(), stacks.seenPc(), nanos + threads.carried[i]);
      threads.carried[i] = 0;
    } else {
      threads.carried[i] += nanos;
    }
  }

  /**
   * Ends the time since the CPU time changed last, which is what the thread ran, what it waited for
   * a CPU, and the rest.
   *
   * @return that of the rest which is not accounted for yet: it was blocked
   */
  private long account(int i, int tid, long cpu, long now) {
    return account(i, cpu, now, files.runDelay(tid));
  }

  /**
   * The same.
   *
   * @param delay how long it has waited for a CPU since it began, in ns; negative if it was not
   *     asked for: what it has waited meanwhile is taken for blocked now, and taken back later
   */
  private long account(int i, long cpu, long now, long delay) {
    long ran = cpu - threads.cpu[i];
    threads.ranAt[i] = ran > 0 ? now : threads.ranAt[i];
    long waited =
        delay < 0 || threads.runDelay[i] < 0 ? 0 : Math.max(0, delay - threads.runDelay[i]);
    long rest = now - threads.changedAt[i] - ran - waited - threads.accounted[i];
    if (rest < 0) {
      // Of the time that it stood still, it waited for a CPU at the end.
      long back = Math.min(threads.blocked[i], -rest);
      threads.blocked[i] -= back;
      threads.carried[i] += rest + back;
      rest = 0;
    }
    // Who waits for a CPU is mostly where it was blocked before; or it was interrupted.
    if (threads.hasStack[i]) {
      threads.runnable[i] += waited;
    } else {
      threads.preempted[i] += waited;
    }
    threads.cpu[i] = cpu;
    threads.runDelay[i] = delay < 0 ? threads.runDelay[i] : delay;
    threads.changedAt[i] = now;
    threads.accounted[i] = 0;
    threads.lookedAt[i] = now;
    threads.restsSince[i] = now;
    return rest;
  }

  /** Its stack was read: the time since the last look is half of the stack before, half of this. */
  private void take(int i, int tid, SampledThreads.Entry thread, BlockedStacks.Outcome outcome) {
    boolean read = outcome == BlockedStacks.Outcome.READ;
    counters.add(read ? Counter.WALL_CAPTURED : Counter.WALL_UNREAD, 1);
    StackSnapshot snapshot = stacks.snapshot();
    decoder.unwind(snapshot);
    // Without the kernel's word there is nothing to tell the JVM's threads by, nor a stack.
    boolean ofJvm = !thread.isJava() && (stacks.isDenied() || decoder.startsInJvm());
    if (ofJvm && !filter.includesJvm()) {
      threads.setKind(i, WallThreads.OF_JVM);
      return;
    }
    BlockedJavaThread java = thread.vmThread == 0 ? null : stacks.java();
    int state = reason.of(snapshot, decoder.frames(), java, stacks.isDenied(), ofJvm);
    decoder.name(snapshot, thread);
    if (state == ThreadState.BLOCKED.code() && isSameStack(i)) {
      state = threads.state[i]; // its system call was interrupted, and goes on
    }
    StopReason end = read ? decoder.end() : StopReason.UNREADABLE_MEMORY;
    long now = stacks.timeNanos();
    boolean rested = stacks.cpuNanos() == threads.cpu[i];
    if (rested && threads.hasStack[i]) {
      // Only the ids were void: it has not run, so this is the stack that it had.
      rest(i, now);
      keep(i, state, end);
      return;
    }
    long rest = account(i, tid, stacks.cpuNanos(), now);
    boolean same = isSameStack(i) && threads.state[i] == state;
    if (threads.hasStack[i] && !same) {
      threads.blocked[i] += rest / 2;
      rest -= rest / 2;
      writer.write(i, now);
    }
    keep(i, state, end);
    if (stacks.discarded() > 0) {
      oweOrCarry(i, rest);
      rest = 0;
    }
    rest += stacks.isCallKnown() ? threads.takeOwed(i, stacks.sp(), stacks.pc()) : 0;
    threads.blocked[i] += rest + threads.carried[i];
    threads.carried[i] = Math.min(0, threads.blocked[i]);
    threads.blocked[i] -= threads.carried[i];
    if (now - threads.writtenAt[i] >= writeNanos) {
      writer.write(i, now);
    }
  }

  /** Whether the stack that was named last is the one that the thread has had. */
  private boolean isSameStack(int i) {
    return threads.hasStack[i]
        && threads.stackId[i] == decoder.stackId()
        && threads.threadKey[i] == decoder.threadKey()
        && threads.contextId[i] == decoder.contextId()
        && threads.generation[i] == decoder.generation();
  }

  private void keep(int i, int state, StopReason end) {
    threads.hasStack[i] = true;
    threads.stackId[i] = decoder.stackId();
    threads.threadKey[i] = decoder.threadKey();
    threads.contextId[i] = decoder.contextId();
    threads.state[i] = state;
    threads.end[i] = (byte) end.code();
    threads.generation[i] = decoder.generation();
  }

  // ---- a chunk ends

  /**
   * Writes the time of all threads up to now, for a chunk that ends. That of those that have run
   * since their last look is that of the stack that was seen then.
   */
  @Override
  public void flush() {
    long begin = clocks.ofThread();
    long started = System.nanoTime();
    for (int i = 0; i < threads.limit(); i++) {
      if (threads.kind[i] == WallThreads.WATCHED) {
        flush(i, System.nanoTime() - started < MAX_FLUSH_NANOS);
      }
    }
    long used = clocks.ofThread() - begin;
    budget.used(used);
    counters.add(Counter.WALL_CPU, used);
  }

  /**
   * Writes a thread's time up to now.
   *
   * @param wholly whether there is time to ask the kernel how long it waited for a CPU
   */
  private void flush(int i, boolean wholly) {
    int tid = threads.tid(i);
    long cpu = clocks.ofThread(tid);
    long now = System.nanoTime();
    if (cpu == threads.cpu[i] && threads.hasStack[i]) {
      rest(i, now);
    } else if (cpu > threads.cpu[i]) {
      long rest = account(i, cpu, now, wholly ? files.runDelay(tid) : -1);
      if (threads.hasStack[i]) {
        threads.blocked[i] += rest;
      } else {
        threads.carried[i] += rest;
      }
      writer.writeAll(i, now);
      threads.hasStack[i] = false;
      return;
    }
    writer.writeAll(i, now);
  }

  /** Writes the last of what is known, and ends. */
  @Override
  public void close() {
    try {
      flush();
      long now = System.nanoTime();
      for (int i = 0; i < threads.limit(); i++) {
        if (threads.kind[i] == WallThreads.WATCHED) {
          writer.writeAll(i, now);
        }
      }
    } finally {
      counters.set(Counter.WALL_THREADS, 0);
      counters.set(Counter.WALL_INTERVAL, 0);
      what.close();
    }
  }
}
