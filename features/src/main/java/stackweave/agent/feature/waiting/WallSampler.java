package stackweave.agent.feature.waiting;

import stackweave.agent.decode.thread.SampledThreads;
import stackweave.agent.feature.FeatureSession;
import stackweave.agent.message.Notes;
import stackweave.agent.option.WallFilter;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.linux.CpuTime;

/**
 * Looks at all threads from outside and writes where they wait, and for how long. A thread whose
 * CPU clock stands still has not run: its stack holds for the whole time since the last look, which
 * costs one system call. If the clock has moved, that time is divided into the time that it ran,
 * the time that it waited for a CPU, and the rest, in which it was blocked: half of it with the
 * previous stack and half with the next. Used by the drain thread, between two batches of samples;
 * must not block, signal or wake any thread. Allocates nothing per look.
 */
final class WallSampler implements FeatureSession {
  /**
   * The longest time until known waits are written: this for each thread, within limits. Waits that
   * are not written are lost if the JVM ends and this thread gets no CPU.
   */
  private static final long WRITE_NANOS_A_THREAD = 1_000_000L;

  private static final long MIN_WRITE_NANOS = 1_000_000_000L;
  private static final long MAX_WRITE_NANOS = 10_000_000_000L;

  /** How often threads are listed, and how often if their number has changed. */
  private static final long LIST_NANOS = 1_000_000_000L;

  private static final long LIST_CHANGED_NANOS = 50_000_000L;

  /** The pause after a listing, in multiples of the time that it took. */
  private static final int LIST_COST_SHARE = 200;

  /** The number of looks without a stack between two checks of the budget. */
  private static final int LOOKS_PER_CHECK = 32;

  /** How long a flush may make system calls for threads: a chunk's end waits for it. */
  private static final long MAX_FLUSH_NANOS = 20_000_000L;

  /** How long a pass may take: the engine's samples wait meanwhile. */
  private static final long MAX_PASS_NANOS = 4_000_000L;

  /** Pause after a pass that took so long. */
  private static final long PASS_PAUSE_NANOS = 1_000_000L;

  /** The longest wait between two passes, in ms. */
  private static final int MAX_WAIT_MILLIS = 40;

  /** Most threads that ran when they were looked at, and are looked at again in the same pass. */
  private static final int MAX_AGAIN = 64;

  private final WallParts parts;
  private final long sinceNanos;
  private final WallDecoder decoder;
  private final BlockedStacks stacks;
  private final CpuTime clocks;
  private final WallFilter filter;
  private final Counters counters;
  private final WallBudget budget;
  private final KnownThreads<WallThread> threads = new KnownThreads<>();
  private final WallSchedule schedule;
  private final WallWriter writer;

  /** How many threads are watched. */
  private int watched;

  private int listing;
  private int lastCount;
  private long listedAt;

  /** When all threads of the last list were still there, judging by their number. */
  private long presentAt;

  private long listCost;
  private long nextPassAt;
  private long writeNanos = MIN_WRITE_NANOS;
  private final WallThread[] again = new WallThread[MAX_AGAIN];
  private int againCount;
  private boolean postponed;
  private boolean denied;

  /** Whether a thread that carries virtual threads was met. */
  private boolean hasCarriers;

  /**
   * @param parts readers of threads; closed with this
   * @param sinceNanos when waiting threads were asked for, by {@link System#nanoTime}: threads that
   *     were started later count from their start
   * @param intervalNanos wall-clock time between two looks at a thread that runs now and then
   * @param drainPercent CPU limit of the drain thread, in percent of a core
   * @param counters its counters
   */
  WallSampler(
      WallParts parts,
      long sinceNanos,
      long intervalNanos,
      int drainPercent,
      WallFilter filter,
      Counters counters) {
    this.parts = parts;
    this.sinceNanos = sinceNanos;
    this.decoder = parts.decoder;
    this.stacks = parts.stacks;
    this.clocks = parts.clocks;
    this.filter = filter;
    this.counters = counters;
    this.schedule = new WallSchedule(threads, intervalNanos);
    this.writer = new WallWriter(parts.store, decoder, counters);
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

  /** A note on the samples of waiting threads, or empty. */
  @Override
  public String note() {
    Notes note = new Notes();
    if (denied) {
      note.add(
          "of waiting threads only Java frames are read: /proc/PID/task/TID/syscall can't be read"
              + " (the process is not dumpable)");
    }
    if (hasCarriers) {
      note.add("virtual threads that wait without a thread of the OS are not in wall samples");
    }
    if (postponed) {
      note.add("waiting threads were looked at less often than asked, " + budget.limit());
    }
    return note.toString();
  }

  /** Looks at the threads that are due. Called after the engine's samples. */
  @Override
  public void pass() {
    long now = System.nanoTime();
    if (now - nextPassAt < 0) {
      return;
    }
    budget.begin(now);
    long debt = budget.nanosInDebt();
    if (debt > 0) {
      // Does nothing while the budget is overdrawn: passes without looks would use it up, too.
      postponed = true;
      nextPassAt = now + debt;
      return;
    }
    long begin = clocks.ofThread();
    listIfDue(now);
    boolean isInTime = lookAround(now, begin, Math.max(1, budget.credit()));
    budget.used(clocks.ofThread() - begin, counters, Counter.WALL_CPU);
    counters.set(Counter.WALL_THREADS, watched);
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
    schedule.walk();
    int unchecked = 0;
    for (WallThread t = schedule.next(now); t != null; t = schedule.next(now)) {
      boolean cheap = look(t);
      if (cheap && ++unchecked < LOOKS_PER_CHECK) {
        continue;
      }
      unchecked = 0;
      if (clocks.ofThread() - begin > credit) {
        schedule.stop();
        postponed |= schedule.isAnyDue(now);
        return true;
      }
      if (System.nanoTime() - now > MAX_PASS_NANOS) {
        schedule.stop();
        return false;
      }
    }
    lookAgain();
    return true;
  }

  /**
   * Looks again at threads that ran: their next wait shows what they did. A later look would be
   * biased, because a thread between short waits is seen running more often than one between long
   * waits, all the more as this thread takes a CPU from it.
   */
  private void lookAgain() {
    int count = againCount;
    for (int k = 0; k < count; k++) {
      WallThread t = again[k];
      if (t.position >= 0 && t.kind == WallThread.Kind.WATCHED) {
        look(t);
      }
    }
  }

  // ---- which threads there are

  private void listIfDue(long now) {
    int count = parts.files.threadCount(parts.processId);
    long before = presentAt;
    if (count == lastCount) {
      presentAt = now;
    }
    long least = count == lastCount ? LIST_NANOS : LIST_CHANGED_NANOS;
    if (now - listedAt < Math.max(least, LIST_COST_SHARE * listCost)) {
      return;
    }
    lastCount = count;
    parts.store.expectThreads(count);
    int listed = parts.tasks.read();
    // Without the time for new threads, which is not needed again.
    long took = System.nanoTime() - now;
    listedAt = now;
    presentAt = now;
    if (listed < 0) {
      return;
    }
    listing++;
    for (int n = 0; n < listed; n++) {
      list(parts.tasks.tids()[n]);
    }
    writeNanos =
        Math.max(MIN_WRITE_NANOS, Math.min(MAX_WRITE_NANOS, listed * WRITE_NANOS_A_THREAD));
    long relisted = System.nanoTime();
    for (int i = threads.size() - 1; i >= 0; i--) {
      WallThread t = threads.get(i);
      if (t.listing != listing) {
        end(t, before);
      } else {
        reconsider(t);
      }
    }
    took += System.nanoTime() - relisted;
    listCost = listCost == 0 ? took : Math.min(took, 2 * listCost);
  }

  private void list(int tid) {
    WallThread t = threads.find(tid);
    if (t == null && tid != parts.ownTid && !threads.isFull()) {
      t = new WallThread(tid);
      threads.add(t);
      begin(t);
    }
    if (t != null) {
      t.listing = listing;
    }
  }

  /**
   * Begins with a thread. If it was started since waiting threads were asked for, its whole life
   * counts, and the time that it neither ran nor waited for a CPU belongs to the first wait that is
   * seen. For other threads it is not known what came before.
   */
  private void begin(WallThread t) {
    long delay = parts.files.runDelay(t.tid);
    long age = parts.files.age(t.tid);
    long now = System.nanoTime();
    if (age >= 0 && delay >= 0 && now - age - sinceNanos >= 0) {
      t.reset(0, 0, now - age);
    } else {
      t.reset(parts.files.cpuNanos(t.tid), delay, now);
    }
  }

  /** An excluded thread may be in the JVM's list now, or have another name. */
  private void reconsider(WallThread t) {
    WallThread.Kind kind = t.kind;
    if (kind != WallThread.Kind.OF_JVM && kind != WallThread.Kind.EXCLUDED) {
      return;
    }
    SampledThreads.Entry thread = decoder.thread(t.tid);
    boolean isNew =
        kind == WallThread.Kind.OF_JVM ? thread.isJava() : thread.threadId() != t.ownKey;
    if (isNew) {
      if (kind == WallThread.Kind.EXCLUDED) {
        t.reset(parts.files.cpuNanos(t.tid), parts.files.runDelay(t.tid), System.nanoTime());
      }
      setKind(t, WallThread.Kind.NEW);
    }
  }

  /**
   * Ends a thread. The time since the last look belongs to the wait that was seen then. Its end is
   * taken to be in the middle of the time since it was last there.
   *
   * @param present when it was listed, or the number of threads was still that of the list
   */
  private void end(WallThread t, long present) {
    long there = Math.max(t.lookedAt, present);
    long now = there + Math.max(0, System.nanoTime() - there) / 2;
    if (t.kind == WallThread.Kind.WATCHED && t.isKnown(decoder)) {
      rest(t, now);
    }
    writer.writeAll(t, now);
    decoder.exited(t.tid);
    watched -= t.kind == WallThread.Kind.WATCHED ? 1 : 0;
    threads.remove(t);
  }

  private void setKind(WallThread t, WallThread.Kind kind) {
    watched -= t.kind == WallThread.Kind.WATCHED ? 1 : 0;
    t.kind = kind;
    watched += kind == WallThread.Kind.WATCHED ? 1 : 0;
  }

  /** Decides whether a thread is looked at. False if that isn't known yet. */
  private boolean isDecided(WallThread t, SampledThreads.Entry thread) {
    if (!thread.isJava() && !decoder.isLookedFor(thread)) {
      return false; // not known either for a watched thread when a new generation has begun
    }
    if (t.kind != WallThread.Kind.NEW) {
      return true;
    }
    if (!thread.isJava() && t.tid == parts.processId && !filter.includesJvm()) {
      // The launcher's thread, which waits for the one that runs main.
      setKind(t, WallThread.Kind.OF_JVM);
      return true;
    }
    t.ownKey = thread.threadId();
    t.ownGeneration = decoder.generation();
    boolean included = filter.includes(thread.name());
    setKind(t, included ? WallThread.Kind.WATCHED : WallThread.Kind.EXCLUDED);
    return true;
  }

  // ---- a look

  /** Looks at a thread; returns whether the look only found that it has not run. */
  private boolean look(WallThread t) {
    long cpu = parts.files.cpuNanos(t.tid);
    long now = System.nanoTime();
    if (cpu < 0) {
      end(t, presentAt);
      return false;
    }
    if (cpu < t.cpu) {
      restart(t, cpu, now); // another thread, with the same id
    }
    boolean rested = cpu == t.cpu;
    if (rested && t.isKnown(decoder)) {
      rest(t, now);
      if (now - t.writtenAt >= writeNanos) {
        writer.write(t, now);
      }
      return true;
    }
    read(t, cpu, rested);
    return false;
  }

  private void restart(WallThread t, long cpu, long now) {
    writer.writeAll(t, now);
    decoder.exited(t.tid);
    t.reset(cpu, parts.files.runDelay(t.tid), now);
    setKind(t, WallThread.Kind.NEW);
  }

  /** The thread has not run since the last look. */
  private void rest(WallThread t, long now) {
    long passed = now - t.lookedAt;
    t.blocked += passed;
    t.accounted += passed;
    t.lookedAt = now;
    t.due = now + schedule.restPause(now - t.restsSince, watched);
  }

  /** Reads a thread that has run, or whose wait is not known. */
  private void read(WallThread t, long cpu, boolean rested) {
    SampledThreads.Entry thread = decoder.thread(t.tid);
    if (isRenamed(t, thread)) {
      writer.write(t, System.nanoTime());
      setKind(t, WallThread.Kind.NEW);
    }
    if (!isDecided(t, thread)) {
      t.due = System.nanoTime() + schedule.undecidedPause();
      return;
    }
    if (t.kind != WallThread.Kind.WATCHED) {
      return;
    }
    hasCarriers |= thread.isCarrier();
    t.ownKey = thread.threadId();
    t.ownGeneration = decoder.generation();
    BlockedStacks.Outcome outcome =
        stacks.read(t.tid, thread.stackEnd, thread.vmThread, cpu, rested);
    denied |= stacks.denied;
    if (outcome == BlockedStacks.Outcome.ENDED) {
      end(t, presentAt);
      return;
    }
    if (outcome == BlockedStacks.Outcome.READ || outcome == BlockedStacks.Outcome.UNREAD) {
      take(t, thread, outcome);
    } else {
      pass(t);
      if (againCount < MAX_AGAIN) {
        again[againCount++] = t;
      }
    }
    t.due = System.nanoTime() + schedule.shortPause();
  }

  /** Whether its name has changed, so that it may be excluded now. */
  private boolean isRenamed(WallThread t, SampledThreads.Entry thread) {
    return t.kind == WallThread.Kind.WATCHED
        && t.ownGeneration == decoder.generation()
        && t.ownKey != 0
        && t.ownKey != thread.threadId();
  }

  /**
   * The thread ran while it was read: it has no stack, and half of its blocked time waits for one.
   */
  private void pass(WallThread t) {
    long now = stacks.timeNanos;
    if (stacks.cpuNanos == t.cpu) {
      // It waits for a CPU, which the kernel accounts when it gets one.
      return;
    }
    long rest = account(t, stacks.cpuNanos, now);
    if (t.hasStack) {
      t.blocked += rest / 2;
      rest -= rest / 2;
      writer.write(t, now);
      t.hasStack = false;
    }
    oweOrCarry(t, rest);
  }

  /** Blocked time belongs to the wait that was seen at its end, or else to the next one seen. */
  private void oweOrCarry(WallThread t, long nanos) {
    if (stacks.seen && t.carried >= 0) {
      t.owe(stacks.seenSp, stacks.seenPc, nanos + t.carried);
      t.carried = 0;
    } else {
      t.carried += nanos;
    }
  }

  /**
   * Divides the time since the CPU time changed last into the time that the thread ran, that it
   * waited for a CPU, and the rest.
   *
   * @return the part of the rest that is not accounted for yet: blocked time
   */
  private long account(WallThread t, long cpu, long now) {
    return account(t, cpu, now, parts.files.runDelay(t.tid));
  }

  /**
   * The same.
   *
   * @param delay how long it has waited for a CPU since it began, in ns; negative if it was not
   *     read: then this time counts as blocked now, and is taken back later
   */
  private long account(WallThread t, long cpu, long now, long delay) {
    long ran = cpu - t.cpu;
    long waited = delay < 0 || t.runDelay < 0 ? 0 : Math.max(0, delay - t.runDelay);
    long rest = now - t.changedAt - ran - waited - t.accounted;
    if (rest < 0) {
      // The time in which it stood still ended with a wait for a CPU.
      long back = Math.min(t.blocked, -rest);
      t.blocked -= back;
      t.carried += rest + back;
      rest = 0;
    }
    // A thread that waits for a CPU is mostly where it was blocked before, or it was interrupted.
    if (t.hasStack) {
      t.runnable += waited;
    } else {
      t.preempted += waited;
    }
    t.cpu = cpu;
    t.runDelay = delay < 0 ? t.runDelay : delay;
    t.changedAt = now;
    t.accounted = 0;
    t.lookedAt = now;
    t.restsSince = now;
    return rest;
  }

  /**
   * The stack was read: the time since the last look is half the previous stack's, half this one's.
   */
  private void take(WallThread t, SampledThreads.Entry thread, BlockedStacks.Outcome outcome) {
    boolean read = outcome == BlockedStacks.Outcome.READ;
    counters.add(read ? Counter.WALL_CAPTURED : Counter.WALL_UNREAD, 1);
    if (!parts.decode(thread, read, filter)) {
      setKind(t, WallThread.Kind.OF_JVM);
      return;
    }
    int state = parts.state;
    if (state == ThreadState.BLOCKED.code() && t.hasSameStack(decoder)) {
      state = t.state; // its system call was interrupted, and goes on
    }
    long now = stacks.timeNanos;
    boolean rested = stacks.cpuNanos == t.cpu;
    if (rested && t.hasStack) {
      // Only the ids were void: the thread has not run, so its stack is the same.
      rest(t, now);
      t.keep(decoder, state);
      return;
    }
    long rest = account(t, stacks.cpuNanos, now);
    boolean same = t.hasSameStack(decoder) && t.state == state;
    if (t.hasStack && !same) {
      t.blocked += rest / 2;
      rest -= rest / 2;
      writer.write(t, now);
    }
    t.keep(decoder, state);
    if (stacks.discarded > 0) {
      oweOrCarry(t, rest);
      rest = 0;
    }
    rest += stacks.callKnown ? t.takeOwed(stacks.sp(), stacks.pc()) : 0;
    t.blocked += rest + t.carried;
    t.carried = Math.min(0, t.blocked);
    t.blocked -= t.carried;
    if (now - t.writtenAt >= writeNanos) {
      writer.write(t, now);
    }
  }

  // ---- a chunk ends

  /**
   * Writes the time of all threads up to now, for a chunk that ends. The time of threads that have
   * run since their last look belongs to the stack that was seen then.
   */
  @Override
  public void flush() {
    long begin = clocks.ofThread();
    long started = System.nanoTime();
    for (int i = 0; i < threads.size(); i++) {
      WallThread t = threads.get(i);
      if (t.kind == WallThread.Kind.WATCHED) {
        flush(t, System.nanoTime() - started < MAX_FLUSH_NANOS);
      }
    }
    budget.used(clocks.ofThread() - begin, counters, Counter.WALL_CPU);
  }

  /**
   * Writes a thread's time up to now.
   *
   * @param wholly whether there is time to ask the kernel how long it waited for a CPU
   */
  private void flush(WallThread t, boolean wholly) {
    long cpu = parts.files.cpuNanos(t.tid);
    long now = System.nanoTime();
    if (cpu == t.cpu && t.hasStack) {
      rest(t, now);
    } else if (cpu > t.cpu) {
      long rest = account(t, cpu, now, wholly ? parts.files.runDelay(t.tid) : -1);
      if (t.hasStack) {
        t.blocked += rest;
      } else {
        t.carried += rest;
      }
      writer.writeAll(t, now);
      t.hasStack = false;
      return;
    }
    writer.writeAll(t, now);
  }

  /** Writes the rest, and ends. */
  @Override
  public void close() {
    try {
      flush();
      long now = System.nanoTime();
      for (int i = 0; i < threads.size(); i++) {
        WallThread t = threads.get(i);
        if (t.kind == WallThread.Kind.WATCHED) {
          writer.writeAll(t, now);
        }
      }
    } finally {
      counters.set(Counter.WALL_THREADS, 0);
      counters.set(Counter.WALL_INTERVAL, 0);
      parts.close();
    }
  }
}
