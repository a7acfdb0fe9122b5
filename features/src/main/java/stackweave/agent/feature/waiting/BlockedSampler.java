package stackweave.agent.feature.waiting;

import java.util.Arrays;
import stackweave.agent.decode.thread.SampledThreads;
import stackweave.agent.feature.FeatureContext;
import stackweave.agent.feature.FeatureSession;
import stackweave.agent.message.Notes;
import stackweave.agent.option.WallFilter;
import stackweave.engine.CpuCost;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.perf.SwitchEvents;
import stackweave.engine.perf.SwitchSink;
import stackweave.jfr.event.Blocked;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.linux.CpuTime;

/**
 * Writes an event for each time that a thread was blocked for longer than a threshold. Begin and
 * end are the kernel's records of context switches; the stack is read once from outside, while the
 * thread is still blocked, and belongs to the block if it was read between the two records. A block
 * that ends before the look has no stack and no event, and is counted. Used by the drain thread;
 * must not block, signal or wake any thread. Allocates nothing per switch or look.
 */
final class BlockedSampler implements FeatureSession, SwitchSink {
  /** Time until the next look at a thread that may or may not be a Java thread. */
  private static final long UNDECIDED_NANOS = 20_000_000L;

  /** How long a thread stays excluded before its name is checked again. */
  private static final long EXCLUDED_NANOS = 1_000_000_000L;

  /** Stands for no look before the thread has run again. */
  private static final long NEVER = Long.MAX_VALUE;

  /** The number of looks between two checks of the budget. */
  private static final int LOOKS_PER_CHECK = 8;

  /** How long a pass may take: the engine's samples wait meanwhile. */
  private static final long MAX_PASS_NANOS = 4_000_000L;

  /** How long the end of a chunk may wait. */
  private static final long MAX_FLUSH_NANOS = 20_000_000L;

  private static final long MIN_WAIT_NANOS = 1_000_000L;
  private static final long MAX_WAIT_NANOS = 40_000_000L;

  /** Time that the kernel takes for a record, on the application's threads. */
  private static final double RECORD_NANOS = 500;

  /** They cost 2 % of a core. */
  static final long MAX_RECORDS_A_SECOND = 40_000;

  /** Stands for an interrupt that woke a thread: of a timer, the network, a disk. */
  private static final int INTERRUPT = Blocked.WOKEN_BY_INTERRUPT;

  /** Time over which records are counted. */
  private static final long RATE_NANOS = 1_000_000_000L;

  /** How often the threads' CPUs are compared with those that are recorded. */
  private static final long OUTGROWN_NANOS = 2_000_000_000L;

  /** Pause before recording is tried again, after it was impossible or cost too much. */
  private static final long PAUSE_NANOS = 60_000_000_000L;

  private final long thresholdNanos;
  private final WallParts parts;
  private final WallDecoder decoder;
  private final BlockedStacks stacks;
  private final CpuTime clocks;
  private final WallFilter filter;
  private final Counters counters;
  private final WallBudget budget;
  private final LookDelay delay;
  private final FeatureContext context;
  private final KnownThreads<BlockedThread> threads = new KnownThreads<>();
  private final BlockedWriter writer;

  /** Null while switches are not recorded. */
  private SwitchEvents events;

  /** Why they are not recorded; empty while they are. */
  private String whyNot = "";

  private long pausedAt;
  private long pauseCountedAt;
  private long rateAt;
  private long rateRecords;

  /** Whether to record what wakes threads, which costs as much again. */
  private boolean wantsWakeUps = true;

  /** Why that is not recorded; empty if it is, or switches are not. */
  private String whyNoWakers = "";

  private long counted;
  private long countedWakeUps;

  /** Records of both kinds, also before a pause, and the process's CPU time before the first. */
  private long records;

  private final long cpuAtStart;
  private long outgrownAt;
  private long nextPassAt;
  private int nextStart;
  private boolean postponed;
  private boolean denied;

  /** Threads that have ended; their ids are forgotten in the next pass. */
  private int[] ended = new int[64];

  private int endedCount;

  /**
   * Begins to record switches; if that is not possible, {@link #note} says why, and it is tried
   * again after pauses.
   *
   * @param parts readers of threads; closed with this
   * @param thresholdNanos shortest time for which a blocked thread gets an event
   * @param drainPercent CPU limit of the drain thread, in percent of a core
   * @param context has kernel memory and system calls that it may use
   */
  BlockedSampler(
      WallParts parts,
      long thresholdNanos,
      int drainPercent,
      WallFilter filter,
      FeatureContext context) {
    this.parts = parts;
    this.thresholdNanos = thresholdNanos;
    this.decoder = parts.decoder;
    this.stacks = parts.stacks;
    this.clocks = parts.clocks;
    this.filter = filter;
    this.counters = context.decoder().counts().counters;
    this.context = context;
    this.writer = new BlockedWriter(parts.store, decoder, counters, parts.processId);
    this.cpuAtStart = clocks.ofProcess();
    long now = System.nanoTime();
    this.budget = new WallBudget(drainPercent, now);
    this.delay = new LookDelay(thresholdNanos, now);
    this.nextPassAt = now;
    boolean begun = false;
    try {
      begin(now);
      begun = true;
    } finally {
      if (!begun) {
        parts.close();
      }
    }
  }

  // ---- whether switches are recorded

  private void begin(long now) {
    try {
      events =
          SwitchEvents.start(
              context.config().process(), context.perfBudget(), context.callPolicy(), wantsWakeUps);
      whyNot = "";
      whyNoWakers = wantsWakeUps ? events.whyNoWakeUps() : whyNoWakers;
      counted = 0;
      countedWakeUps = 0;
      rateAt = now;
      rateRecords = records;
      outgrownAt = now;
      counters.set(Counter.BLOCKED_THRESHOLD, thresholdNanos);
    } catch (EngineRefusedException e) {
      pausedAt = now;
      pauseCountedAt = now;
      whyNot = "perf" + e.refusal().separator() + e.refusal().cause();
      counters.set(Counter.BLOCKED_THRESHOLD, 0);
    }
  }

  /** Stops recording for a while, and forgets which threads are off a CPU now. */
  private void pause(long now, String why) {
    events.close();
    events = null;
    lost();
    pausedAt = now;
    pauseCountedAt = now;
    whyNot = why + "; tried again in " + Timespans.spoken(PAUSE_NANOS);
  }

  /** Whether switches are recorded; reads their records. */
  private boolean isRecording(long now) {
    if (events == null) {
      if (now - pausedAt < PAUSE_NANOS) {
        return false;
      }
      countPause(now);
      begin(now);
      return events != null;
    }
    readRecords();
    if (now - rateAt >= RATE_NANOS) {
      long perSecond = (long) ((records - rateRecords) * 1e9 / (now - rateAt));
      rateAt = now;
      rateRecords = records;
      if (perSecond > MAX_RECORDS_A_SECOND && events.hasWakeUps()) {
        wantsWakeUps = false;
        whyNoWakers = perSecond + " switches and wake-ups a second are too many";
        beginAnew(now);
        return events != null;
      }
      if (perSecond > MAX_RECORDS_A_SECOND) {
        pause(
            now,
            perSecond / 2
                + " switches a second are more than "
                + MAX_RECORDS_A_SECOND / 2
                + ", and recording them slows the threads down");
        return false;
      }
    }
    if (events.costsTooMuch()) {
      pause(now, "threads are so many, or started so often, that recording them costs too much");
      return false;
    }
    if (now - outgrownAt > OUTGROWN_NANOS) {
      outgrownAt = now;
      if (events.isOutgrown()) {
        beginAnew(now);
      }
    }
    return events != null;
  }

  private void beginAnew(long now) {
    events.close();
    events = null;
    lost();
    begin(now);
  }

  private void countPause(long now) {
    counters.add(Counter.BLOCKED_PAUSED, now - pauseCountedAt);
    pauseCountedAt = now;
  }

  private void readRecords() {
    events.drain(this);
    long switches = events.switches() - counted;
    long wakeUps = events.wakeUpRecords() - countedWakeUps;
    records += switches + wakeUps;
    counted += switches;
    countedWakeUps += wakeUps;
  }

  // ---- records, in order of time

  @Override
  public void switchedOut(int tid, long timeNanos, boolean isPreempted) {
    BlockedThread t = threads.find(tid);
    if (t == null) {
      if (isPreempted || threads.isFull()) {
        return;
      }
      t = new BlockedThread(tid);
      threads.add(t);
    }
    if (t.isOut) {
      // It was on a CPU meanwhile, but that record is missing.
      dropOpen(t);
    }
    // A look that came before this record was read may have seen this block already.
    t.hasStack &= t.seenAt - timeNanos >= 0;
    if (!isPreempted) {
      t.isOut = true;
      t.outAt = timeNanos;
      t.wakerPid = 0;
      t.due = timeNanos + thresholdNanos;
    }
  }

  @Override
  public void switchedIn(int tid, long timeNanos) {
    BlockedThread t = threads.find(tid);
    if (t == null || !t.isOut) {
      return;
    }
    t.isOut = false;
    long nanos = timeNanos - t.outAt;
    boolean isOfThis = isSeenWithin(t, timeNanos);
    if (nanos >= thresholdNanos && t.kind != BlockedThread.Kind.EXCLUDED) {
      if (isOfThis) {
        writer.write(t, nanos);
      } else {
        countUnseen(t, nanos);
      }
    }
    t.hasStack &= !isOfThis;
  }

  @Override
  public void woken(int tid, long timeNanos, int wakerPid, int wakerTid, boolean isInterrupt) {
    BlockedThread t = threads.find(tid);
    if (t == null || !t.isOut) {
      return;
    }
    t.wakerPid = isInterrupt ? INTERRUPT : wakerPid;
    t.wakerTid = wakerTid;
    t.wokenAt = timeNanos;
  }

  /** Whether the last look was between the time that the thread left its CPU and another. */
  private boolean isSeenWithin(BlockedThread t, long untilNanos) {
    return t.hasStack && t.seenAt - t.outAt >= 0 && t.seenAt - untilNanos <= 0;
  }

  @Override
  public void started(int tid) {
    ended(tid);
  }

  @Override
  public void ended(int tid) {
    BlockedThread t = threads.find(tid);
    if (t != null) {
      forget(t);
    }
    if (endedCount == ended.length) {
      ended = Arrays.copyOf(ended, 2 * endedCount);
    }
    ended[endedCount++] = tid;
  }

  private void forget(BlockedThread t) {
    countPending(t);
    threads.remove(t);
  }

  @Override
  public void lost() {
    // Ends of threads may be among the lost records, so all threads are forgotten.
    for (int i = threads.size() - 1; i >= 0; i--) {
      dropOpen(threads.get(i));
      forget(threads.get(i));
    }
  }

  private void dropOpen(BlockedThread t) {
    if (t.isOut) {
      t.isOut = false;
      t.hasStack = false;
      boolean counts = t.kind != BlockedThread.Kind.EXCLUDED;
      counters.add(Counter.BLOCKED_LOST, counts ? 1 : 0);
    }
  }

  // ---- counting and writing

  /** Counts a block that ended before the look. For a thread that may be excluded, it is kept. */
  private void countUnseen(BlockedThread t, long nanos) {
    t.unseen++;
    if (t.kind == BlockedThread.Kind.WATCHED) {
      countPending(t);
    }
  }

  private void countPending(BlockedThread t) {
    counters.add(Counter.BLOCKED_UNSEEN, t.unseen);
    t.unseen = 0;
  }

  /** Writes blocks that last at a time up to which all records were read. */
  private void writeOpen(long untilNanos) {
    long started = System.nanoTime();
    for (int i = 0; i < threads.size(); i++) {
      BlockedThread t = threads.get(i);
      if (!t.isOut
          || t.kind != BlockedThread.Kind.WATCHED
          || untilNanos - t.outAt < thresholdNanos
          || !isSeenWithin(t, untilNanos)) {
        continue;
      }
      boolean isInTime = System.nanoTime() - started <= MAX_FLUSH_NANOS;
      writer.writeOpen(t, untilNanos - t.outAt, isInTime);
    }
  }

  // ---- looks

  @Override
  public int waitMillis() {
    long left = (nextPassAt - System.nanoTime() + 999_999) / 1_000_000;
    return (int) Math.max(1, Math.min(MAX_WAIT_NANOS / 1_000_000, left));
  }

  @Override
  public void pass() {
    long now = System.nanoTime();
    if (now - nextPassAt < 0) {
      return;
    }
    long begin = clocks.ofThread();
    forgetEnded();
    budget.begin(now);
    nextPassAt = now + MAX_WAIT_NANOS;
    if (isRecording(now)) {
      lookAround(now, begin);
      nextPassAt = Math.min(nextPassAt, now + events.watchNanos());
    }
    budget.used(clocks.ofThread() - begin, counters, Counter.BLOCKED_CPU);
  }

  /** The engine has delivered all samples of these threads, which needed their names. */
  private void forgetEnded() {
    for (int n = 0; n < endedCount; n++) {
      decoder.exited(ended[n]);
    }
    endedCount = 0;
  }

  private void lookAround(long now, long begin) {
    delay.adjust(now);
    if (budget.nanosInDebt() > 0) {
      lookAtOne(now);
      return;
    }
    boolean maySpend = true;
    long credit = Math.max(1, budget.credit());
    int limit = threads.size();
    int start = limit == 0 ? 0 : nextStart % limit;
    int looks = 0;
    boolean isMore = false;
    // A pass may come early for threads that are due, but not so often that it costs too much.
    long soonest = now + Math.max(MIN_WAIT_NANOS, thresholdNanos / 2);
    long next = now + Math.max(MIN_WAIT_NANOS, Math.min(MAX_WAIT_NANOS, thresholdNanos));
    for (int n = 0; n < limit; n++) {
      int i = start + n < limit ? start + n : start + n - limit;
      BlockedThread t = threads.get(i);
      if (!wantsLook(t)) {
        continue;
      }
      if (now - t.due < 0) {
        next = Math.min(next, Math.max(soonest, t.due));
        continue;
      }
      if (!maySpend || now - t.outAt < delay.nanos()) {
        postponed = true;
        if (!maySpend) {
          delay.putOff();
        } else {
          next = Math.min(next, Math.max(soonest, t.outAt + delay.nanos()));
        }
        continue;
      }
      look(t);
      if (++looks % LOOKS_PER_CHECK == 0 || System.nanoTime() - now > MAX_PASS_NANOS) {
        boolean isSpent = clocks.ofThread() - begin > credit;
        isMore = !isSpent && System.nanoTime() - now > MAX_PASS_NANOS;
        maySpend = !isSpent && !isMore;
        nextStart = i + 1;
        if (isMore) {
          break; // not too late yet: the rest follows in a moment
        }
      }
    }
    nextPassAt = isMore ? System.nanoTime() + MIN_WAIT_NANOS : next;
  }

  /**
   * Looks at one thread although the budget is overdrawn, as it may be by reading records alone. So
   * deadlocks are seen, also on JDK 17 and 21, where deadlocked threads wake up each second.
   */
  private void lookAtOne(long now) {
    for (int i = 0; i < threads.size(); i++) {
      BlockedThread t = threads.get(i);
      if (wantsLook(t) && now - t.due >= 0) {
        postponed = true;
        delay.putOff();
        if (now - t.outAt > LookDelay.MAX_NANOS / 2) {
          look(t);
          return;
        }
      }
    }
  }

  private boolean wantsLook(BlockedThread t) {
    return t.isOut && t.due != NEVER && (!t.isKnown(decoder) || t.seenAt - t.outAt < 0);
  }

  private void look(BlockedThread t) {
    long now = System.nanoTime();
    if (t.kind == BlockedThread.Kind.EXCLUDED && now - t.decidedAt < EXCLUDED_NANOS) {
      t.due = NEVER;
      return;
    }
    long cpu = parts.files.cpuNanos(t.tid);
    if (cpu < 0) {
      return; // its end is recorded, too
    }
    SampledThreads.Entry thread = decoder.thread(t.tid);
    if (!isDecided(t, thread, now)) {
      t.due = now + UNDECIDED_NANOS;
      return;
    }
    if (t.kind == BlockedThread.Kind.EXCLUDED) {
      t.due = NEVER;
      return;
    }
    // Its being off its CPU is recorded; if the kernel does not say where it waits, the record
    // counts.
    BlockedStacks.Outcome outcome = stacks.read(t.tid, thread.stackEnd, thread.vmThread, cpu, true);
    denied |= stacks.denied;
    if (outcome == BlockedStacks.Outcome.READ || outcome == BlockedStacks.Outcome.UNREAD) {
      take(t, thread, outcome);
    } else {
      t.due = NEVER; // it was woken
    }
  }

  /** Decides, each time anew, whether a thread is looked at. False if that isn't known yet. */
  private boolean isDecided(BlockedThread t, SampledThreads.Entry thread, long now) {
    if (!thread.isJava() && !decoder.isLookedFor(thread)) {
      return false;
    }
    // The launcher's thread only waits for the one that runs main.
    boolean isLauncher = !thread.isJava() && t.tid == parts.processId;
    boolean included = filter.includes(thread.name()) && (!isLauncher || filter.includesJvm());
    decide(t, included, now);
    return true;
  }

  private void decide(BlockedThread t, boolean included, long now) {
    if (included && t.kind == BlockedThread.Kind.WATCHED) {
      return;
    }
    t.kind = included ? BlockedThread.Kind.WATCHED : BlockedThread.Kind.EXCLUDED;
    t.decidedAt = now;
    if (!included) {
      t.unseen = 0;
    }
  }

  private void take(BlockedThread t, SampledThreads.Entry thread, BlockedStacks.Outcome outcome) {
    if (!parts.decode(thread, outcome == BlockedStacks.Outcome.READ, filter)) {
      decide(t, false, stacks.timeNanos);
      t.due = NEVER;
      return;
    }
    countPending(t);
    t.keep(decoder, parts.state);
    t.seenAt = stacks.timeNanos;
  }

  @Override
  public void flush() {
    if (events == null) {
      countPause(System.nanoTime());
      return;
    }
    long begin = clocks.ofThread();
    long settled = System.nanoTime() - SwitchEvents.SETTLING_NANOS;
    readRecords();
    writeOpen(settled);
    budget.used(clocks.ofThread() - begin, counters, Counter.BLOCKED_CPU);
  }

  @Override
  public String note() {
    Notes note = new Notes();
    if (!whyNot.isEmpty()) {
      note.add(
          "blocked threads are not timed: "
              + whyNot
              + " (samples of waiting threads, wall=20ms, need no perf events)");
    }
    if (events != null && !whyNoWakers.isEmpty()) {
      note.add("who wakes blocked threads is not recorded: " + whyNoWakers);
    }
    note.add(
        CpuCost.note(
            "records of switches for stackweave.Blocked",
            records * RECORD_NANOS,
            clocks.ofProcess() - cpuAtStart));
    if (denied) {
      note.add(
          "of blocked threads only Java frames are read: /proc/PID/task/TID/syscall can't be read"
              + " (the process is not dumpable)");
    }
    if (postponed) {
      note.add("of blocked threads only the longest were looked at, " + budget.limit());
    }
    return note.toString();
  }

  @Override
  public void close() {
    try {
      if (events != null) {
        long now = System.nanoTime();
        events.stop();
        readRecords();
        writeOpen(now);
        for (int i = threads.size() - 1; i >= 0; i--) {
          forget(threads.get(i));
        }
      } else {
        countPause(System.nanoTime());
      }
    } finally {
      if (events != null) {
        events.close();
      }
      counters.set(Counter.BLOCKED_THRESHOLD, 0);
      parts.close();
    }
  }
}
