package stackweave.agent.feature.memory;

import stackweave.agent.decode.SamplePipeline;
import stackweave.agent.decode.StackReceiver;
import stackweave.agent.feature.FeatureContext;
import stackweave.agent.feature.FeatureRefusedException;
import stackweave.agent.feature.FeatureSession;
import stackweave.engine.CpuCost;
import stackweave.engine.probe.AllocationProbes;
import stackweave.engine.probe.AllocationProbes.NotNowException;
import stackweave.engine.probe.AllocationProbes.RefusedException;
import stackweave.engine.probe.AllocationSink;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.store.EventStore;
import stackweave.linux.CallPolicy;
import stackweave.unwind.StopReason;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Writes which stacks allocate blocks by malloc and its relatives, and which blocks are freed. It
 * follows all large blocks, and a share of the small ones that depends on their size, chosen by
 * their address. Used by the drain thread beside the engine of CPU time. Ends itself if calls are
 * too frequent. Allocates nothing for a block but the event.
 */
final class AllocationSampler implements FeatureSession, AllocationSink, StackReceiver {
  static final String NOT = "native allocations are not recorded";

  private static final String STILL_MET =
      "; but the kernel keeps them as long as a child lives that the process has forked without"
          + " exec, or until sampling ends: end it, or the recording";

  /** Initially all blocks from 8 KiB on are followed. */
  private static final int FIRST_SHIFT = 13;

  /** At most this is raised to 4 MiB. */
  private static final int LAST_SHIFT = 22;

  /** As many stacks per second take about a tenth of a core. */
  private static final int MAX_STACKS_A_SECOND = 2_000;

  private static final long RATE_NANOS = 200_000_000L;

  /** Calls are too frequent if they are for a second, or by this factor in one measurement. */
  private static final int MEASUREMENTS = 5;

  /** Quiet periods after which smaller blocks are followed again. */
  private static final int QUIET_PERIODS = 10;

  /** Attempts to begin, since a burst of calls may pass. */
  private static final int TRIES = 6;

  private static final long RETRY_NANOS = 5_000_000_000L;

  /** Blocks begin at multiples of 16 bytes. */
  private static final int ADDRESS_SHIFT = 4;

  /** Bytes of the word before a block. */
  private static final int OVERHEAD = 8;

  /** A larger number before a block is not its size, so the C library did not allocate it. */
  private static final long MAX_BYTES = 1L << 40;

  private static final int MAX_RECORDS = 4_096;
  private static final int BUSY_RECORDS = 64;
  private static final int BUSY_MILLIS = 1;
  private static final int IDLE_MILLIS = 10;

  private final SamplePipeline pipeline;
  private final EventStore store;
  private final SampleRecord sample = new SampleRecord();
  private final CallPolicy policy;
  private final SampledProcess process;

  /** Null until calls are rare enough. */
  private AllocationProbes probes;

  private String whyNotYet = "";
  private long triedAt;
  private int tries;
  private final TouchedPages blocks = new TouchedPages(TouchedPages.MAX_PAGES);
  private final Counters counters;
  private int generation;
  private int shift = FIRST_SHIFT;
  private long rateAt;
  private long calls;
  private long callsOfSecond;
  private long cpu;
  private long cpuOfSecond;

  /** The number of calls when probes were placed. */
  private long callsAtStart;

  private long cpuAtStart;
  private long begunAt;
  private int measurements;
  private int quiet;
  private long lost;
  private int stacks;
  private int drained;
  private String end = "";
  private long stoppedAt;

  /** Whether calls were counted after the probes had been removed. */
  private boolean areStillMet;

  private long block;
  private long bytes;
  private long timeNanos;

  /** Makes one without probes. */
  AllocationSampler(FeatureContext context) {
    this.pipeline = context.samples();
    this.store = context.decoder().store();
    this.policy = context.callPolicy();
    this.process = context.config().process();
    this.counters = context.decoder().counts().counters;
  }

  /** Begins on the calling thread, after counting calls for a tenth of a second. */
  static AllocationSampler open(FeatureContext context) throws FeatureRefusedException {
    AllocationSampler sampler = new AllocationSampler(context);
    try {
      sampler.tryAgain(System.nanoTime());
      return sampler;
    } catch (RefusedException e) {
      throw new FeatureRefusedException(NOT + ": " + e.getMessage());
    }
  }

  /**
   * Places the probes, or sets why not yet.
   *
   * @throws RefusedException if it can't be, now or later
   */
  private void tryAgain(long now) throws RefusedException {
    triedAt = now;
    tries++;
    try {
      probes = AllocationProbes.open(policy, process, FIRST_SHIFT);
      whyNotYet = "";
      calls = probes.calls();
      begunAt = System.nanoTime();
      rateAt = begunAt;
      callsOfSecond = calls;
      cpu = probes.cpuNanos();
      cpuOfSecond = cpu;
      callsAtStart = calls;
      cpuAtStart = cpu;
    } catch (NotNowException e) {
      whyNotYet = NOT + ": " + e.getMessage();
    }
  }

  @Override
  public int waitMillis() {
    return drained >= BUSY_RECORDS ? BUSY_MILLIS : IDLE_MILLIS;
  }

  @Override
  public void pass() {
    long now = System.nanoTime();
    if (probes != null) {
      drained = probes.drain(MAX_RECORDS, this);
      followRate(now);
    } else if (tries < TRIES && now - triedAt > RETRY_NANOS) {
      try {
        tryAgain(now);
      } catch (RefusedException e) {
        whyNotYet = NOT + ": " + e.getMessage();
        tries = TRIES;
      }
    }
  }

  @Override
  public void flush() {
    if (probes != null) {
      drained = probes.drain(Integer.MAX_VALUE, this);
    }
  }

  /** Follows fewer blocks if calls are frequent, and finally removes the probes. */
  private void followRate(long now) {
    long nanos = now - rateAt;
    if (nanos < RATE_NANOS) {
      return;
    }
    rateAt = now;
    long callsNow = probes.calls();
    long cpuNow = probes.cpuNanos();
    areStillMet |= !end.isEmpty() && now - nanos - stoppedAt > 0 && callsNow > calls;
    removeIfTooMany(callsNow - calls, nanos, cpuNow - cpu, MEASUREMENTS);
    cpu = cpuNow;
    calls = callsNow;
    long lostNow = probes.lost();
    counters.add(Counter.ALLOCATIONS_LOST, lostNow - lost);
    lost = lostNow;
    if (++measurements % MEASUREMENTS == 0) {
      removeIfTooMany(callsNow - callsOfSecond, now - begunAt, cpuNow - cpuOfSecond, 1);
      begunAt = now;
      callsOfSecond = callsNow;
      cpuOfSecond = cpuNow;
    }
    long stackRate = stacks * 1_000_000_000L / nanos;
    if (stackRate > MAX_STACKS_A_SECOND && shift < LAST_SHIFT) {
      shift++;
      quiet = 0;
      probes.setShift(shift);
    } else if (stackRate < MAX_STACKS_A_SECOND / 4
        && shift > FIRST_SHIFT
        && ++quiet > QUIET_PERIODS) {
      shift--;
      quiet = 0;
      probes.setShift(shift);
    }
    stacks = 0;
  }

  private void removeIfTooMany(long more, long nanos, long cpuNanos, int times) {
    String tooMany = probes.tooMany(more, nanos, cpuNanos, times);
    if (end.isEmpty() && !tooMany.isEmpty()) {
      probes.stop();
      end = NOT + " any more, the probes are gone: " + tooMany;
      stoppedAt = System.nanoTime();
    }
  }

  @Override
  public void allocated(long address, long chunk, int ownShift, StackSnapshot snapshot) {
    if (chunk <= OVERHEAD || chunk > MAX_BYTES) {
      return;
    }
    block = address >>> ADDRESS_SHIFT;
    int slot = blocks.find(block);
    if (slot >= 0) {
      // The record of its being freed was lost.
      givenBack(slot, snapshot.timeNanos());
    }
    stacks++;
    bytes = Math.max(chunk - OVERHEAD, 1L << ownShift);
    timeNanos = snapshot.timeNanos();
    pipeline.decode(snapshot, this);
  }

  @Override
  public void stack(long threadId, long stackId, StopReason stop, long contextId) {
    if (generation != pipeline.generation()) {
      // Ids of an older generation are void.
      generation = pipeline.generation();
      counters.add(Counter.ALLOCATIONS_UNFOLLOWED, blocks.count());
      blocks.clear();
    }
    sample
        .begin(SampleRecord.Kind.ALLOCATION, timeNanos, bytes)
        .stack(threadId, stackId, stop.code(), contextId)
        .at(block << ADDRESS_SHIFT);
    if (store.write(sample)) {
      counters.add(Counter.ALLOCATED, bytes);
      if (!blocks.add(block, stackId, threadId, bytes, stop.code(), contextId)) {
        counters.add(Counter.ALLOCATIONS_UNFOLLOWED, 1);
      }
    }
  }

  @Override
  public void freed(long address, long atNanos) {
    int slot = blocks.find(address >>> ADDRESS_SHIFT);
    if (slot >= 0) {
      givenBack(slot, atNanos);
    }
  }

  private void givenBack(int slot, long now) {
    long weight = blocks.value(slot);
    sample
        .begin(SampleRecord.Kind.ALLOCATION, now, -weight)
        .stack(blocks.thread(slot), blocks.stack(slot), blocks.end(slot), blocks.context(slot))
        .at(blocks.page(slot) << ADDRESS_SHIFT);
    if (generation == pipeline.beginStack() && store.write(sample)) {
      counters.add(Counter.FREED, weight);
    }
    blocks.remove(slot);
  }

  @Override
  public String note() {
    return end + (areStillMet ? STILL_MET : "") + whyNotYet + cost();
  }

  private String cost() {
    if (probes == null || !end.isEmpty()) {
      return "";
    }
    double nanos = probes.nanosOf(calls - callsAtStart);
    return CpuCost.note("probes at malloc, calloc, realloc and free", nanos, cpu - cpuAtStart);
  }

  @Override
  public void close() {
    if (probes != null) {
      probes.close();
    }
  }
}
