package stackweave.agent.feature.memory;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongSupplier;
import stackweave.agent.decode.SamplePipeline;
import stackweave.agent.decode.StackReceiver;
import stackweave.agent.feature.FeatureContext;
import stackweave.agent.feature.FeatureRefusedException;
import stackweave.agent.feature.FeatureSession;
import stackweave.agent.message.Notes;
import stackweave.engine.CpuCost;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineFigure;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.EngineSink;
import stackweave.engine.EngineState;
import stackweave.engine.SampleEngine;
import stackweave.engine.perf.PerfBudget;
import stackweave.engine.perf.PerfCpuEngine;
import stackweave.engine.perf.PerfThreadEngine;
import stackweave.engine.probe.FaultFilter;
import stackweave.engine.probe.MoveProbe;
import stackweave.engine.probe.PageHash;
import stackweave.hotspot.HotSpot;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.store.EventStore;
import stackweave.linux.CallPolicy;
import stackweave.linux.CpuTime;
import stackweave.linux.GuardedCall;
import stackweave.linux.MemoryAccess;
import stackweave.unwind.StopReason;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Writes which stacks touch native memory first, from the kernel's page faults, and which of these
 * pages were given back since. It follows one of 2ⁿ pages, chosen only by its number: so all faults
 * of a page are seen or none, and a page that is touched again was given back before. Used by the
 * drain thread beside the engine of CPU time; on the application's threads only the kernel copies.
 * Allocates nothing for a fault but the event.
 */
final class MemorySampler implements FeatureSession, EngineSink, StackReceiver, MoveProbe.Sink {
  private static final SampledEvent FAULTS = SampledEvent.parse("page-faults");
  private static final int PAGE_SHIFT = 12;
  private static final int STACK_BYTES = 8 * 1024;
  private static final int RING_BYTES = 32 * 1024 * 1024;

  /**
   * Additional time of a context switch, since each thread has events of its own; measured by
   * {@code lab/overhead --work tokens:8 --by perf+native-memory=on}.
   */
  private static final double SWITCH_NANOS = 400;

  /** How often context switches are read: the kernel adds them up thread by thread. */
  private static final long SWITCHES_NANOS = 5_000_000_000L;

  /** Initially one page in 8 is followed, which stands for 32 KiB. */
  private static final int FIRST_SHIFT = 3;

  /** At least one page in 1,024 is followed, which stands for 4 MiB. */
  private static final int LAST_SHIFT = 10;

  /** As many stacks per second take about a tenth of a core. */
  private static final int MAX_STACKS_A_SECOND = 2_000;

  private static final long RATE_NANOS = 200_000_000L;

  /** Quiet periods after which more pages are followed again. */
  private static final int QUIET_PERIODS = 50;

  /** From so many faults in a pass on, the next pass comes soon. */
  private static final int BUSY_FAULTS = 64;

  /** The longest time that the kernel takes to clear a huge page, on a busy machine. */
  private static final long MAX_PENDING_NANOS = 500_000_000L;

  private static final int MAX_PENDING = 512;

  /** The longest time until a fault is in its ring. */
  private static final long SETTLING_NANOS = 1_000_000L;

  /** Most moves of memory that wait for the faults before them. */
  private static final int MAX_MOVES = 256;

  private static final int BUSY_MILLIS = 1;
  private static final int IDLE_MILLIS = 4;

  /** How often some of the followed pages are looked at, and how many: half a millisecond. */
  private static final long LOOK_NANOS = 50_000_000L;

  private static final int LOOKS = 512;

  /** The number of pages looked at when a chunk ends, which may wait some 10 ms. */
  private static final int LAST_LOOKS = 8_192;

  private final SamplePipeline pipeline;
  private final EventStore store;
  private final SampleRecord sample = new SampleRecord();
  private final SampleEngine engine;
  private final LongSupplier faultAddress;
  private final PerfBudget budget;

  /** Null if all faults are delivered. */
  private final FaultFilter filter;

  private final MemoryRegions regions;

  /** Null if moves of memory are not reported. */
  private final MoveProbe moves;

  private final SampledProcess process;
  private final CpuTime cpuTime;
  private final long cpuAtStart;
  private final long switchesAtStart;
  private long switchesAt = System.nanoTime();

  /** A note on the cost of context switches, if it is high. */
  private String cost = "";

  private final PageScan scan;
  private final TouchedPages pages = new TouchedPages(TouchedPages.MAX_PAGES);

  /**
   * First touches, with their times, of pages that the kernel had not given yet when they were
   * looked at, or whose mapping is not known yet: few, for a moment.
   */
  private final TouchedPages pending = new TouchedPages(MAX_PENDING);

  private final Counters counters;
  private int generation;
  private int shift = FIRST_SHIFT;
  private long lost;
  private int nextSlot;
  private long lookedAt;
  private long rateAt = System.nanoTime();
  private int stacks;
  private int quiet;
  private int drained;
  private boolean hasEnded;

  /** Pages that were absent at the last look. */
  private final long[] absents = new long[LAST_LOOKS];

  private int absent;

  /** Moves that are not applied yet, the oldest first. */
  private final Deque<Move> moved = new ArrayDeque<>();

  private long page;
  private long weight;
  private boolean isPending;
  private long timeNanos;

  /** A bit for each of the last 64 faults, the newest lowest: whether it was of native memory. */
  private long recent;

  /** Bytes of faults that were lost: an estimate, which is added to the next stack. */
  private long lostBytes;

  /**
   * The source of faults; closed with the sampler.
   *
   * @param address the address of the fault that the engine delivers
   * @param budget kernel memory of the engine's events
   * @param filter null if all faults are delivered
   * @param moves null if moves of memory are not reported
   */
  record Source(
      SampleEngine engine,
      LongSupplier address,
      PerfBudget budget,
      FaultFilter filter,
      MoveProbe moves) {}

  /** A move of memory, in pages. */
  private record Move(long atNanos, long from, long to, long count) {}

  MemorySampler(FeatureContext context, Source source, MemoryRegions regions) {
    this.pipeline = context.samples();
    this.store = context.decoder().store();
    this.engine = source.engine();
    this.faultAddress = source.address();
    this.budget = source.budget();
    this.filter = source.filter();
    this.moves = source.moves();
    this.regions = regions;
    this.counters = context.decoder().counts().counters;
    this.process = context.config().process();
    this.cpuTime = new CpuTime(process);
    this.cpuAtStart = cpuTime.ofProcess();
    this.switchesAtStart = cpuTime.switchesOfProcess();
    this.scan = new PageScan(process);
    pipeline.alsoFollow(engine.description());
  }

  /**
   * Begins on the calling thread.
   *
   * @param perfMemoryBytes kernel memory that its events of threads may take
   */
  static MemorySampler open(
      FeatureContext context, long perfMemoryBytes, MemoryAccess memoryAccess, String failure)
      throws FeatureRefusedException {
    CallPolicy policy = context.callPolicy();
    if (!policy.allows(GuardedCall.PERF_EVENT_OPEN)) {
      throw new FeatureRefusedException(
          failure + ": perf " + GuardedCall.PERF_EVENT_OPEN.notTried());
    }
    HotSpot hotSpot = context.decoder().process().hotSpot();
    long[] heap = hotSpot == null ? new long[2] : hotSpot.reservedHeap();
    SampledProcess process = context.config().process();
    MemoryRegions regions = new MemoryRegions(process, heap[0], heap[1]);
    if (!regions.isKnown() || !regions.isHeapKnown()) {
      throw new FeatureRefusedException(
          failure
              + ": "
              + (regions.isKnown()
                  ? "where the Java heap is in this VM is not known"
                  : process.file("maps") + " can't be read"));
    }
    PerfBudget budget = new PerfBudget(perfMemoryBytes, process);
    FaultFilter filter =
        FaultFilter.open(policy, heap[0], heap[1], PageScan.isAlwaysHuge(), process);
    if (filter != null) {
      // Never raised later, so that second touches of followed pages are seen.
      filter.setShift(FIRST_SHIFT);
    }
    EngineKind[] kinds =
        process.isOwn()
            ? new EngineKind[] {EngineKind.PERF_THREAD, EngineKind.PERF_USER}
            : new EngineKind[] {EngineKind.PERF};
    String refusals = "";
    for (EngineKind kind : kinds) {
      try {
        EngineConfig config = new EngineConfig(1, STACK_BYTES, kind, memoryAccess, FAULTS, process);
        return new MemorySampler(context, source(config, budget, filter, policy), regions);
      } catch (EngineRefusedException e) {
        refusals += (refusals.isEmpty() ? "" : "; ") + e.refusal().line();
      }
    }
    budget.close();
    if (filter != null) {
      filter.close();
    }
    throw new FeatureRefusedException(failure + ": " + refusals);
  }

  /** Faults of each thread, or of another process those of the CPUs that the filter lets pass. */
  private static Source source(
      EngineConfig config, PerfBudget budget, FaultFilter filter, CallPolicy policy)
      throws EngineRefusedException {
    int program = filter == null ? -1 : filter.program();
    MoveProbe moves;
    if (config.preferred() != EngineKind.PERF) {
      PerfThreadEngine engine =
          PerfThreadEngine.startBeside(config.preferred(), config, budget, RING_BYTES, program);
      moves = MoveProbe.open(policy, config.process());
      return new Source(engine, engine::address, budget, filter, moves);
    }
    PerfCpuEngine engine = PerfCpuEngine.startBeside(config, budget, program);
    moves = MoveProbe.open(policy, config.process());
    return new Source(engine, engine::address, budget, filter, moves);
  }

  @Override
  public int waitMillis() {
    return drained >= BUSY_FAULTS ? BUSY_MILLIS : IDLE_MILLIS;
  }

  @Override
  public void pass() {
    long now = System.nanoTime();
    drain(now);
    followRate(now);
    if (now - lookedAt > LOOK_NANOS) {
      lookedAt = now;
      settle(now);
      look(LOOKS);
      if (moves != null) {
        moves.followRate(now);
      }
      countSwitches(now);
      long lostNow = engine.statistics().get(EngineFigure.LOST);
      counters.add(Counter.MEMORY_LOST, lostNow - lost);
      lost = lostNow;
    }
  }

  private void countSwitches(long now) {
    if (process.isOwn() && now - switchesAt > SWITCHES_NANOS) {
      switchesAt = now;
      cost =
          CpuCost.note(
              "perf events of each thread, for native memory,",
              (cpuTime.switchesOfProcess() - switchesAtStart) * SWITCH_NANOS,
              cpuTime.ofProcess() - cpuAtStart);
    }
  }

  @Override
  public void flush() {
    drain(System.nanoTime());
    settle(System.nanoTime());
    look(LAST_LOOKS);
    giveBackAbsent(System.nanoTime());
  }

  /** Takes faults and moves of memory in the order in which they happened. */
  private void drain(long now) {
    if (hasEnded) {
      return;
    }
    long settled = now - SETTLING_NANOS;
    drained = 0;
    if (moves != null) {
      moves.drain(this);
      while (!moved.isEmpty() && moved.peek().atNanos <= settled) {
        drained += engine.drain(moved.peek().atNanos, this);
        apply(moved.remove());
      }
    }
    drained += engine.drain(settled, this);
    hasEnded = engine.state() == EngineState.TO_BE_REPLACED;
  }

  /** The other engine reports only the ends of threads that it has sampled. */
  @Override
  public void exited(long timeNanos, int tid) {
    pipeline.exited(timeNanos, tid);
  }

  @Override
  public void moved(long atNanos, long from, long to, long bytes) {
    if (moved.size() == MAX_MOVES) {
      apply(moved.remove());
    }
    moved.add(new Move(atNanos, from >>> PAGE_SHIFT, to >>> PAGE_SHIFT, bytes >>> PAGE_SHIFT));
  }

  /** Follows fewer pages if memory is touched faster than stacks can be unwound. */
  private void followRate(long now) {
    if (now - rateAt < RATE_NANOS) {
      return;
    }
    long rate = stacks * 1_000_000_000L / (now - rateAt);
    rateAt = now;
    stacks = 0;
    if (rate > MAX_STACKS_A_SECOND && shift < LAST_SHIFT) {
      setShift(shift + 1);
    } else if (rate < MAX_STACKS_A_SECOND / 4 && shift > FIRST_SHIFT && ++quiet > QUIET_PERIODS) {
      setShift(shift - 1);
    }
  }

  private void setShift(int value) {
    shift = value;
    quiet = 0;
  }

  /** Whether all faults except those of the Java heap are delivered. */
  private boolean passesAll() {
    return filter == null || filter.passesAll();
  }

  /** Gives followed pages their new numbers; a move may have more pages than are followed. */
  private void apply(Move move) {
    if (move.count <= pages.limit()) {
      for (long each = move.from; each < move.from + move.count; each++) {
        move(pages.find(each), each + move.to - move.from);
      }
      return;
    }
    for (long each : pages.all()) {
      if (each >= move.from && each < move.from + move.count) {
        move(pages.find(each), each + move.to - move.from);
      }
    }
  }

  private void move(int slot, long target) {
    if (slot < 0) {
      return;
    }
    int old = pages.find(target);
    if (old >= 0) {
      givenBack(old, System.nanoTime());
    }
    pages.move(slot, target);
  }

  @Override
  public boolean wantsSample() {
    long address = faultAddress.getAsLong();
    page = address >>> PAGE_SHIFT;
    boolean isFollowed = page != 0 && PageHash.isFollowed(page, shift);
    MemoryRegions.Kind region = regions.of(address);
    PageScan.Memory memory =
        isFollowed && region != MemoryRegions.Kind.OTHER
            ? scan.memoryOf(page)
            : PageScan.Memory.UNKNOWN;
    boolean isNative = region != MemoryRegions.Kind.OTHER && memory != PageScan.Memory.OF_FILE;
    recent = recent << 1 | (isNative ? 1 : 0);
    if (!isNative) {
      return false;
    }
    PageScan.Page kind = scan.of(page, isFollowed);
    weight = 1L << PAGE_SHIFT + shift;
    boolean isDoubtful = region == MemoryRegions.Kind.UNKNOWN && memory == PageScan.Memory.ABSENT;
    isPending = (kind == PageScan.Page.ABSENT || isDoubtful) && pending.hasRoom();
    if (isDoubtful && !isPending) {
      counters.add(Counter.MEMORY_LOST, 1);
      return false;
    }
    if (kind == PageScan.Page.HUGE) {
      becomeHuge();
      isFollowed = true;
    }
    int slot = pages.find(page);
    if (slot >= 0) {
      // The page has no memory any more, or the kernel would not have given it some.
      givenBack(slot, System.nanoTime());
    }
    return (isFollowed || isPending) && kind != PageScan.Page.ZERO;
  }

  /**
   * The present page belongs to a huge one: follows all of these, each by the same of its pages.
   */
  private void becomeHuge() {
    boolean comesAlways = filter == null || filter.passesAlways(page);
    long block = page >>> PageScan.HUGE_SHIFT;
    long others = (1L << PageScan.HUGE_SHIFT) - 1;
    page = block << PageScan.HUGE_SHIFT | PageHash.mix(block) & others;
    weight = 1L << PAGE_SHIFT + PageScan.HUGE_SHIFT + (comesAlways ? 0 : FIRST_SHIFT);
  }

  /**
   * Faults are lost in bursts, mostly of one stack: the next sample also stands for as many of them
   * as were of native memory just before.
   */
  @Override
  public void lost(long timeNanos, long count) {
    long pagesOfEach = passesAll() ? 1 : 1L << FIRST_SHIFT;
    lostBytes += (count * pagesOfEach * Long.bitCount(recent) / Long.SIZE) << PAGE_SHIFT;
  }

  @Override
  public void sample(StackSnapshot snapshot) {
    stacks++;
    timeNanos = snapshot.timeNanos();
    pipeline.decode(snapshot, this);
  }

  @Override
  public void stack(long threadId, long stackId, StopReason end, long contextId) {
    followGeneration();
    if (isPending) {
      pending.add(page, timeNanos, threadId, stackId, end.code(), contextId);
      return;
    }
    weight += lostBytes;
    lostBytes = 0;
    touched(threadId, stackId, end.code(), contextId);
  }

  private void touched(long threadId, long stackId, int end, long contextId) {
    sample
        .begin(SampleRecord.Kind.MEMORY, timeNanos, weight)
        .stack(threadId, stackId, end, contextId)
        .at(page << PAGE_SHIFT);
    if (store.write(sample)) {
      counters.add(Counter.MEMORY_TOUCHED, weight);
      if (!scan.isMemoryKnown() || !pages.add(page, stackId, threadId, weight, end, contextId)) {
        counters.add(Counter.MEMORY_UNFOLLOWED, 1);
      }
    }
  }

  /**
   * Handles pages that were not there yet when their faults came, because the kernel was about to
   * clear them. If one never appears, its present mapping decides what it was.
   */
  private void settle(long now) {
    if (generation != pipeline.beginStack()) {
      followGeneration();
    }
    for (int i = 0; i < pending.limit(); i++) {
      page = pending.page(i);
      if (page == 0) {
        continue;
      }
      timeNanos = pending.value(i);
      PageScan.Page kind = scan.of(page, true);
      PageScan.Memory memory = scan.memoryOf(page);
      boolean isAbsent = kind == PageScan.Page.ABSENT || memory == PageScan.Memory.ABSENT;
      if (isAbsent && now - timeNanos < MAX_PENDING_NANOS) {
        continue;
      }
      if (memory == PageScan.Memory.OF_FILE
          || regions.of(page << PAGE_SHIFT) != MemoryRegions.Kind.NATIVE) {
        pending.remove(i);
        continue;
      }
      boolean isFollowed = PageHash.isFollowed(page, shift);
      weight = 1L << PAGE_SHIFT + shift;
      if (kind == PageScan.Page.HUGE) {
        becomeHuge();
        isFollowed = true;
      }
      if (isFollowed && kind != PageScan.Page.ZERO && pages.find(page) < 0) {
        touched(pending.thread(i), pending.stack(i), pending.end(i), pending.context(i));
      }
      pending.remove(i);
    }
  }

  /** Ids of an older generation are void, so pages touched then are not followed any more. */
  private void followGeneration() {
    if (generation != pipeline.generation()) {
      generation = pipeline.generation();
      counters.add(Counter.MEMORY_UNFOLLOWED, pages.count());
      pages.clear();
      pending.clear();
    }
  }

  private void givenBack(int slot, long now) {
    long bytes = pages.value(slot);
    sample
        .begin(SampleRecord.Kind.MEMORY, now, -bytes)
        .stack(pages.thread(slot), pages.stack(slot), pages.end(slot), pages.context(slot))
        .at(pages.page(slot) << PAGE_SHIFT);
    if (generation == pipeline.beginStack() && store.write(sample)) {
      counters.add(Counter.MEMORY_GIVEN_BACK, bytes);
    }
    pages.remove(slot);
  }

  /** Checks some of the pages in turn for whether they were given back. */
  private void look(int most) {
    if (!scan.isMemoryKnown() || pages.count() == 0) {
      return;
    }
    long now = System.nanoTime();
    giveBackAbsent(now);
    int left = most;
    for (int i = pages.limit(); i > 0 && left > 0; i--) {
      nextSlot = nextSlot >= pages.limit() ? 0 : nextSlot;
      long there = pages.page(nextSlot++);
      if (there != 0) {
        left--;
        if (!scan.isPresent(there)) {
          // It may just have been moved, or the kernel is about to give it: the next look decides.
          absents[absent++] = there;
        }
      }
    }
  }

  /**
   * Reports pages as given back that were absent at the last look, still are, and have not moved
   * meanwhile. Positions are only known up to the last applied move.
   */
  private void giveBackAbsent(long now) {
    int left = 0;
    for (int i = 0; i < absent; i++) {
      if (pages.find(absents[i]) >= 0 && !scan.isPresent(absents[i])) {
        absents[left++] = absents[i];
      }
    }
    if (left > 0 && moves != null) {
      moves.drain(this);
    }
    for (int i = 0; i < left; i++) {
      int slot = isMoving(absents[i]) ? -1 : pages.find(absents[i]);
      if (slot >= 0) {
        givenBack(slot, now);
      }
    }
    absent = 0;
  }

  private boolean isMoving(long page) {
    for (Move move : moved) {
      long from = page - move.from;
      long to = page - move.to;
      if (from >= 0 && from < move.count || to >= 0 && to < move.count) {
        return true;
      }
    }
    return false;
  }

  @Override
  public String note() {
    if (hasEnded) {
      return "native memory is not recorded any more: threads are too many, or start too often,"
          + " for events of each (option perf-memory)";
    }
    if (!scan.isMemoryKnown()) {
      return "native memory: the process's pagemap in /proc can't be read, so what is given back is not known";
    }
    String movesNote = moves == null ? "" : moves.note();
    return new Notes().add(movesNote).add(scan.note()).add(cost).toString();
  }

  @Override
  public void close() {
    pipeline.alsoFollow(null);
    engine.close();
    budget.close();
    if (filter != null) {
      filter.close();
    }
    if (moves != null) {
      moves.close();
    }
    scan.close();
    cpuTime.close();
  }
}
