package stackweave.agent.decode;

import stackweave.agent.decode.failure.FailureRecorder;
import stackweave.agent.decode.name.StackNames;
import stackweave.agent.decode.splice.SplicingUnwinder;
import stackweave.agent.decode.thread.SampledThreads;
import stackweave.agent.decode.thread.ThreadNames;
import stackweave.agent.drain.limit.Throttle;
import stackweave.engine.EngineDescription;
import stackweave.engine.EngineSink;
import stackweave.hotspot.HotSpot;
import stackweave.hotspot.MixedUnwinder;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.status.Counter;
import stackweave.jfr.store.EventStore;
import stackweave.maps.modules.LoaderCounts;
import stackweave.maps.modules.ModuleIndex;
import stackweave.maps.modules.ModuleMap;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.StopReason;
import stackweave.unwind.snapshot.OlderStack;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Receives raw samples from the engine: unwinds each with the modules of its time, names its frames
 * and writes the event. Called by the engine while it is drained. Allocates nothing for a warm
 * stack but the event; an exception costs one sample only. For the drain thread only.
 */
public final class SamplePipeline implements EngineSink {
  private final Decoder decoder;
  private final EventStore store;
  private final ModuleIndex modules;
  private final MemoryReader memory;
  private final SplicingUnwinder unwinder;
  private final StackNames names;
  private final ThreadNames threads;

  /** Why the stack that was unwound last ends. */
  private StopReason end;

  private final FailureRecorder failures;
  private final FrameBuffer frames;
  private final SampleCounts counts;
  private final RingWait ringWait;
  private final SignalStacks signalStacks;
  private final SampleRecord record = new SampleRecord();
  private EngineDescription engine;

  /** An engine that takes samples beside the followed one; null for none. */
  private EngineDescription beside;

  private OlderStack.Whereabouts whereabouts = OlderStack.Whereabouts.UNKNOWN;

  /** How far threads of that engine's samples have returned since. */
  private OlderStack.Whereabouts whereaboutsBeside = OlderStack.Whereabouts.UNKNOWN;

  private Throttle throttle;
  private int storeGeneration;
  private boolean discards;

  private ModuleSearch search;

  /**
   * @param failures records stacks as files; null: none are recorded
   */
  public SamplePipeline(Decoder decoder, FailureRecorder failures) {
    this.decoder = decoder;
    this.store = decoder.store();
    this.modules = decoder.process().modules();
    this.memory = decoder.process().memory();
    this.names = decoder.names();
    this.threads = decoder.threads();
    this.failures = failures;
    this.frames = new FrameBuffer(decoder.depth());
    this.counts = decoder.counts();
    this.search = new ModuleSearch(modules, null);
    this.signalStacks = decoder.process().signalStacks();
    this.unwinder =
        new SplicingUnwinder(
            decoder.unwinder(), frames, memory, this::highestStackPointer, counts.splices);
    HotSpot hotSpot = decoder.process().hotSpot();
    this.ringWait =
        new RingWait(this.unwinder, decoder, hotSpot == null ? null : hotSpot.startedThreads());
  }

  /**
   * Sets the engine whose samples come from here on.
   *
   * @param running the engine
   * @param throttle decides which samples are decoded
   */
  public void follow(EngineDescription running, Throttle throttle) {
    engine = running;
    this.throttle = throttle;
    search = new ModuleSearch(modules, LoaderCounts.find(modules.latest(), memory));
    whereabouts = OlderStack.Whereabouts.UNKNOWN;
  }

  private long highestStackPointer(int tid) {
    long highest = whereabouts.highestStackPointer(tid);
    long other = whereaboutsBeside.highestStackPointer(tid);
    return Long.compareUnsigned(other, highest) > 0 ? other : highest;
  }

  /**
   * Sets a second engine, whose samples are passed to {@link #decode}.
   *
   * @param other null for none
   */
  public void alsoFollow(EngineDescription other) {
    beside = other;
    whereaboutsBeside = OlderStack.Whereabouts.UNKNOWN;
  }

  /** Unwinds and names a sample that is not of the followed engine. The receiver writes it. */
  public void decode(StackSnapshot snapshot, StackReceiver receiver) {
    long begin = System.nanoTime();
    try {
      decodeBeside(snapshot, receiver);
    } catch (RuntimeException | Error e) {
      counts.lastFailure = e;
    }
    throttle.decoded(System.nanoTime() - begin);
  }

  private void decodeBeside(StackSnapshot snapshot, StackReceiver receiver) {
    snapshot.setElsewhere(memory);
    whereaboutsBeside = snapshot.whereabouts();
    beginStack();
    SampledThreads.Entry thread = threads.find(snapshot.tid());
    ModuleMap map = unwind(snapshot, thread);
    long threadId = threads.ownerOf(frames, snapshot, thread);
    long contextId =
        decoder
            .contexts()
            .ofBeside(
                threads.owner(),
                snapshot.timeNanos(),
                beside == null ? 0 : beside.clockErrorNanos());
    receiver.stack(threadId, names.stackId(frames, map), end, contextId);
  }

  /** When a stack was last deeper than its copy, by {@link System#nanoTime}. */
  public long deepNanos() {
    return unwinder.deepNanos();
  }

  /** As {@link MixedUnwinder#isUnloadingExpected}. */
  public boolean isUnloadingExpected() {
    return decoder.unwinder().isUnloadingExpected();
  }

  /** Whether samples may wait in the engine's rings; asked before and during each wait. */
  public boolean maySamplesWait() {
    return ringWait.isHarmless(System.nanoTime());
  }

  /** Drops modules that are not mapped any more, and finds new ones. */
  public void refreshModules() {
    search.refresh();
    names.refresh();
  }

  /** Whether loads of libraries are reported, so that modules need not be read often. */
  public boolean isToldOfLibraries() {
    return search.isTold();
  }

  /** Finds libraries that have come and gone since the last call; before samples are taken. */
  public void lookAtLoader() {
    search.lookAtLoader();
  }

  /** Whether a signal may overwrite a library's data: an engine with signals must end at once. */
  public boolean mustSendNoSignals() {
    return engine.sendsSignals() && !signalStacks.heapStackLibrary().isEmpty();
  }

  /**
   * Begins a stack that is written into the store. If the store has begun a new generation, forgets
   * all ids.
   *
   * @return the store's generation, to which the stack's ids belong
   */
  public int beginStack() {
    int generation = store.beginStack();
    if (generation != storeGeneration) {
      storeGeneration = generation;
      names.forget();
      threads.forget();
      decoder.contexts().forget();
    }
    return generation;
  }

  /** The store's generation, as of the last stack. */
  public int generation() {
    return storeGeneration;
  }

  /**
   * Looks for new modules for a stack with unknown code, if the last look is long enough ago.
   *
   * @param timeNanos when the stack was read
   * @return whether it is to be unwound again
   */
  public boolean searchModules(long timeNanos) {
    return search.look(timeNanos);
  }

  /**
   * Counts the samples that follow as not decodable: the process is gone whose memory they need.
   */
  public void discard() {
    discards = true;
  }

  @Override
  public boolean wantsSample() {
    if (discards) {
      counts.counters.add(Counter.TAKEN, 1);
      counts.counters.add(Counter.UNDECODABLE, 1);
      return false;
    }
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
      decode(snapshot);
    } catch (RuntimeException | Error e) {
      // Errors, too, such as no memory, stack or class: they cost only this sample.
      counts.counters.add(Counter.UNDECODABLE, 1);
      counts.lastFailure = e;
    }
    throttle.decoded(System.nanoTime() - begin);
  }

  private void decode(StackSnapshot snapshot) {
    snapshot.setElsewhere(memory);
    whereabouts = snapshot.whereabouts();
    beginStack();
    SampledThreads.Entry thread = threads.find(snapshot.tid());
    ModuleMap map = unwind(snapshot, thread);
    if (unwinder.olderFrom() != 0 || !snapshot.olderCopy().isEmpty()) {
      snapshot.olderCopy().setNeeded(thread.stackEnd, unwinder.olderFrom());
    }
    long stackId = write(snapshot, map, threads.ownerOf(frames, snapshot, thread));
    record(snapshot, map, frames, stackId);
  }

  /**
   * Writes a stack that was just unwound into a file, if the user asked for such ones.
   *
   * @param stackId of it in the recording
   */
  public void record(StackSnapshot snapshot, ModuleMap map, FrameBuffer unwound, long stackId) {
    if (failures != null) {
      failures.record(snapshot, map, unwound, stackId);
    }
  }

  /**
   * Unwinds a sample with the modules of its time; {@link #end} says how it ended.
   *
   * @return these modules
   */
  private ModuleMap unwind(StackSnapshot snapshot, SampledThreads.Entry thread) {
    clamp(snapshot, thread.stackEnd);
    snapshot.setJavaThread(thread.vmThread);
    ModuleMap map = modules.at(snapshot.timeNanos());
    end = unwind(snapshot, map, thread.stackEnd);
    if (frames.hasUnknownCode() && search.look(snapshot.timeNanos())) {
      map = modules.at(snapshot.timeNanos());
      end = unwind(snapshot, map, thread.stackEnd);
    }
    return map;
  }

  /** Unwinds, and measures the time by two clock reads, 50 ns. */
  private StopReason unwind(StackSnapshot snapshot, ModuleMap map, long stackEnd) {
    long begin = System.nanoTime();
    StopReason end = unwinder.unwind(snapshot, map, stackEnd);
    counts.counters.add(Counter.UNWIND_TIME, System.nanoTime() - begin);
    counts.counters.add(Counter.FRAMES, frames.count());
    return end;
  }

  /**
   * Cuts the copy at the stack's end: the kernel also copies other memory that follows the stack.
   */
  private static void clamp(StackSnapshot snapshot, long stackEnd) {
    long used = stackEnd - snapshot.stackAddress();
    if (used > 0 && used < snapshot.stackLength()) {
      snapshot.setStack(snapshot.stackAddress(), (int) used);
    }
  }

  private boolean hasJavaFrames() {
    for (int i = frames.count() - 1; i >= 0; i--) {
      FrameKind kind = frames.kind(i);
      if (frames.method(i) != FrameBuffer.NO_METHOD && kind != FrameKind.STUB) {
        return true;
      }
    }
    return false;
  }

  /** Writes the sample and returns the id of its stack. */
  private long write(StackSnapshot snapshot, ModuleMap map, long threadId) {
    HandlersNotBegun.drop(snapshot, frames);
    long stackId = names.stackId(frames, map);
    long weight = snapshot.weightNanos() * throttle.group();
    long time = snapshot.timeNanos();
    long contextId =
        decoder.contexts().of(threads.owner(), time, engine.clockErrorNanos(), hasJavaFrames());
    SampledEvent event = engine.event();
    record
        .begin(event.isCpu() ? SampleRecord.Kind.CPU : SampleRecord.Kind.EVENT, time, weight)
        .stack(threadId, stackId, end.code(), contextId)
        .of(event.name());
    if (store.write(record)) {
      counts.counters.add(Counter.WRITTEN, 1);
      counts.ends[end.code()]++;
      frames.countFound(counts.found);
    } else {
      counts.counters.add(Counter.DROPPED, 1);
    }
    return stackId;
  }

  @Override
  public void renamed(long timeNanos, int tid, String comm) {
    threads.renamed(tid, comm);
  }

  @Override
  public void started(long timeNanos, int tid, int parentTid) {
    // The OS may have reused the id of a thread whose exit was not seen.
    threads.exited(tid);
  }

  @Override
  public void exited(long timeNanos, int tid) {
    threads.exited(tid);
  }

  @Override
  public void lost(long timeNanos, long count) {
    // The engine counts losses itself.
  }
}
