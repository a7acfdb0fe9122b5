package stackweave.agent.drain;

import java.io.IOException;
import java.util.HexFormat;
import stackweave.agent.engine.EngineSink;
import stackweave.agent.engine.SampleEngine;
import stackweave.hotspot.FrameBuffer;
import stackweave.hotspot.FrameKind;
import stackweave.hotspot.MixedUnwinder;
import stackweave.jfr.status.Counter;
import stackweave.jfr.store.EventStore;
import stackweave.maps.modules.ModuleIndex;
import stackweave.maps.modules.ModuleMap;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.snapshot.OlderStack;
import stackweave.unwind.snapshot.SpliceOutcome;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * What becomes of a raw sample: unwound with the modules of its moment, named, written. Nothing
 * here allocates for a warm stack but the event. For the drain thread only.
 */
final class SamplePipeline implements EngineSink {
  /** The sampled state of every sample of an engine that counts CPU time. */
  static final int ON_CPU = 0;

  private final EventStore store;
  private final ModuleIndex modules;
  private final MemoryReader memory;
  private final MixedUnwinder unwinder;
  private final StackNames names;
  private final ThreadNames threads;
  private final FailureRecorder failures;
  private final FrameBuffer frames;
  private final OlderStack older;
  private final SampleCounts counts;
  private SampleEngine engine;
  private Throttle throttle;
  private final Steadiness steadiness = new Steadiness();
  private int framesOfCopy;
  private long guessesOfCopy;
  private long deepNanos = System.nanoTime() - Long.MAX_VALUE / 2;
  private int storeGeneration;

  /** Null where the engine reports mappings. */
  private ModuleSearch search;

  /**
   * @param failures records stacks that don't reach their root; null: nobody does
   */
  SamplePipeline(
      EventStore store,
      ModuleIndex modules,
      MemoryReader memory,
      MixedUnwinder unwinder,
      StackNames names,
      ThreadNames threads,
      FailureRecorder failures,
      int depth,
      SampleCounts counts) {
    this.store = store;
    this.modules = modules;
    this.memory = memory;
    this.unwinder = unwinder;
    this.names = names;
    this.threads = threads;
    this.failures = failures;
    this.frames = new FrameBuffer(depth);
    this.counts = counts;
    this.older = new OlderStack(memory, this::highestStackPointer, this::olderTaken);
  }

  /**
   * Whose samples come from here on.
   *
   * @param running the engine
   * @param throttle which of them are decoded
   */
  void follow(SampleEngine running, Throttle throttle) {
    engine = running;
    this.throttle = throttle;
    search = running.reportsMappings() ? null : new ModuleSearch(modules);
  }

  private long highestStackPointer(int tid) {
    return engine == null ? 0 : engine.highestStackPointer(tid);
  }

  /** When a stack was last deeper than its copy, by {@link System#nanoTime}. */
  long deepNanos() {
    return deepNanos;
  }

  /** Retires the modules that are no longer mapped, and finds those that nobody reported. */
  void refreshModules() {
    if (search != null) {
      search.refresh();
      return;
    }
    try {
      modules.refresh(System.nanoTime());
    } catch (IOException e) {
      // /proc is as it was: the next refresh tries again, the mmap records go on meanwhile.
      return;
    }
  }

  @Override
  public boolean wantsSample() {
    if (throttle.keeps()) {
      return true;
    }
    counts.counters.add(Counter.TAKEN, 1);
    counts.counters.add(Counter.THINNED, 1);
    return false;
  }

  @Override
  public void sample(StackSnapshot snapshot) {
    counts.counters.add(Counter.TAKEN, 1);
    long begin = System.nanoTime();
    try {
      snapshot.setElsewhere(memory);
      int generation = store.beginStack();
      if (generation != storeGeneration) {
        storeGeneration = generation;
        names.forget();
        threads.forget();
      }
      SampledThreads.Entry thread = threads.find(snapshot.tid());
      clamp(snapshot, thread.stackEnd);
      ModuleMap map = modules.at(snapshot.timeNanos());
      StopReason end = unwind(snapshot, map, thread.stackEnd);
      if (search != null && end == StopReason.NO_MODULE && search.look(snapshot.timeNanos())) {
        map = modules.at(snapshot.timeNanos());
        end = unwind(snapshot, map, thread.stackEnd);
      }
      write(snapshot, map, threads.ownerOf(frames, snapshot, thread), end);
      if (failures != null && !frames.end().isComplete()) {
        failures.record(snapshot, map, frames);
      }
    } catch (RuntimeException | Error e) {
      // Errors too (no memory, no stack, a class that can't be loaded): they cost this sample only.
      counts.counters.add(Counter.UNDECODABLE, 1);
      counts.lastFailure = e;
    }
    throttle.decoded(System.nanoTime() - begin);
  }

  /** Unwinds and takes the time, which costs two reads of the clock, 50 ns. */
  private StopReason unwind(StackSnapshot snapshot, ModuleMap map, long stackEnd) {
    long begin = System.nanoTime();
    older.begin(snapshot, stackEnd);
    unwinder.unwind(snapshot, map, frames);
    StopReason end = splicedEnd(snapshot, map);
    counts.counters.add(Counter.UNWIND_TIME, System.nanoTime() - begin);
    counts.counters.add(Counter.FRAMES, frames.count());
    return end;
  }

  /** The walk is about to leave the copy: what was found from here on is the older part's. */
  private void olderTaken() {
    framesOfCopy = frames.count();
    guessesOfCopy = unwinder.guesses();
  }

  /**
   * The stack's end, with what became of its older part: one that was not this stack's is left out.
   */
  private StopReason splicedEnd(StackSnapshot snapshot, ModuleMap map) {
    if (older.outcome() != SpliceOutcome.NOT_NEEDED) {
      deepNanos = System.nanoTime();
    }
    if (older.outcome() == SpliceOutcome.TAKEN) {
      SpliceOutcome refusal = refusal(snapshot);
      if (refusal != null) {
        older.refuse(refusal);
        unwinder.unwind(snapshot, map, frames);
      }
    }
    counts.splices[older.outcome().ordinal()]++;
    StopReason end = frames.end();
    if (older.outcome() != SpliceOutcome.TAKEN) {
      return end;
    }
    return end == StopReason.TOO_DEEP ? StopReason.SPLICED_TOO_DEEP : StopReason.SPLICED;
  }

  private boolean hasUnknownFrames() {
    for (int i = framesOfCopy; i < frames.count(); i++) {
      if (frames.kind(i) == FrameKind.UNKNOWN) {
        return true;
      }
    }
    return false;
  }

  /** Why the older part that was taken can't stay, or null. */
  private SpliceOutcome refusal(StackSnapshot snapshot) {
    StopReason end = frames.end();
    boolean leads = end.isComplete() || end == StopReason.TOO_DEEP;
    if (!leads || unwinder.guesses() != guessesOfCopy || hasUnknownFrames()) {
      return SpliceOutcome.NO_ROOT;
    }
    if (!older.confirm()) {
      return older.outcome();
    }
    boolean steady =
        steadiness.isSteady(
            snapshot.tid(),
            frames,
            frames.count() - framesOfCopy,
            snapshot.timeNanos(),
            System.nanoTime());
    return steady ? null : SpliceOutcome.UNSTEADY;
  }

  /** The kernel copies on above the stack where memory of somebody else's follows it. */
  private static void clamp(StackSnapshot snapshot, long stackEnd) {
    long used = stackEnd - snapshot.stackAddress();
    if (used > 0 && used < snapshot.stackLength()) {
      snapshot.setStack(snapshot.stackAddress(), (int) used);
    }
  }

  /**
   * A timer's signal that finds the thread at the first instruction of another signal's handler was
   * due at the same time as that one, whose frame the kernel had just made: JFR's own sampler, for
   * one, sends signals all the time. The CPU time was used by the code below.
   */
  private void dropHandlerNotBegun(StackSnapshot snapshot) {
    boolean inHandler =
        frames.count() > 2
            && frames.isInterrupted(0)
            && !frames.isInterrupted(1)
            && frames.isInterrupted(2) // so frame 1 is what a handler returns to
            && frames.kind(0) == FrameKind.NATIVE
            && frames.kind(1) == FrameKind.NATIVE;
    try {
      if (inHandler && snapshot.readLong(snapshot.registers().sp()) == frames.pc(1)) {
        frames.dropInnermost(2);
      }
    } catch (UnreadableMemoryException e) {
      return; // the copy begins at sp: there is none
    }
  }

  private void write(StackSnapshot snapshot, ModuleMap map, long threadId, StopReason end) {
    dropHandlerNotBegun(snapshot);
    long stackId = names.stackId(frames, map);
    long weight = snapshot.weightNanos() * throttle.group();
    if (store.sample(snapshot.timeNanos(), threadId, ON_CPU, weight, stackId, end.code(), 0)) {
      counts.counters.add(Counter.WRITTEN, 1);
      counts.ends[end.code()]++;
    } else {
      counts.counters.add(Counter.DROPPED, 1);
    }
  }

  @Override
  public void mapped(
      long timeNanos,
      int pid,
      int tid,
      long address,
      long length,
      long pageOffset,
      byte[] buildId,
      String path) {
    modules.mapped(
        timeNanos,
        address,
        length,
        pageOffset,
        path,
        buildId == null ? null : HexFormat.of().formatHex(buildId));
  }

  @Override
  public void renamed(long timeNanos, int tid, String comm) {
    threads.renamed(tid, comm);
  }

  @Override
  public void started(long timeNanos, int tid, int parentTid) {
    // An id that the OS uses again, and whose former thread ended unseen.
    threads.exited(tid);
  }

  @Override
  public void exited(long timeNanos, int tid) {
    threads.exited(tid);
  }

  @Override
  public void lost(long timeNanos, long count) {
    // Counted by the engine, exactly where the kernel can.
  }
}
