package stackweave.agent.feature.waiting;

import stackweave.agent.decode.Decoder;
import stackweave.agent.decode.SamplePipeline;
import stackweave.agent.decode.name.StackNames;
import stackweave.agent.decode.thread.SampledThreads;
import stackweave.agent.decode.thread.ThreadNames;
import stackweave.hotspot.MixedUnwinder;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;
import stackweave.maps.modules.MappedModule;
import stackweave.maps.modules.ModuleIndex;
import stackweave.maps.modules.ModuleMap;
import stackweave.unwind.StopReason;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Unwinds a stack that {@link BlockedStacks} has read and gives it an id in the recording. It must
 * be called at once, because the VM may change the stack of a thread that does not run. Shares
 * caches and names with the engine's samples. For the drain thread only.
 */
final class WallDecoder {
  private static final String LIBJVM = "libjvm.so";

  private final Decoder decoder;
  private final SamplePipeline pipeline;
  private final ModuleIndex modules;
  private final MixedUnwinder unwinder;
  private final StackNames names;
  private final ThreadNames threads;

  /** The frames that were unwound last. */
  final FrameBuffer frames;

  private ModuleMap map;

  /** The id of the stack that was named last. */
  long stackId;

  /** The recording's id of the thread that was named last, or of the virtual one that it runs. */
  long threadKey;

  /** What the thread that was named last worked for; 0 where that is not known. */
  long contextId;

  /** Why the stack that was unwound last ends. */
  StopReason end = StopReason.INTERNAL_ERROR;

  WallDecoder(Decoder decoder, SamplePipeline pipeline) {
    this.decoder = decoder;
    this.pipeline = pipeline;
    this.modules = decoder.process().modules();
    this.unwinder = decoder.unwinder();
    this.names = decoder.names();
    this.threads = decoder.threads();
    this.frames = new FrameBuffer(decoder.depth());
  }

  /** The entry of a thread. It gets an id only after it was looked for among the Java threads. */
  SampledThreads.Entry thread(int tid) {
    pipeline.beginStack();
    return threads.findLater(tid);
  }

  /** Whether it is known whether the thread is one of Java. */
  boolean isLookedFor(SampledThreads.Entry thread) {
    return threads.isLookedFor(thread);
  }

  /** A thread has ended, and its id may be another's. */
  void exited(int tid) {
    threads.exited(tid);
  }

  /** The generation of the store's ids. */
  int generation() {
    return pipeline.generation();
  }

  /** Unwinds the stack in the snapshot; {@link #name} must be called before the next one. */
  void unwind(StackSnapshot snapshot) {
    map = modules.at(snapshot.timeNanos());
    unwinder.unwind(snapshot, map, frames);
    if (frames.hasUnknownCode() && pipeline.searchModules(snapshot.timeNanos())) {
      map = modules.at(snapshot.timeNanos());
      unwinder.unwind(snapshot, map, frames);
    }
    end = frames.end();
    if (snapshot.isWaitingForCall() && end.isComplete()) {
      end = StopReason.GAP; // the native frames further in are missing
    }
  }

  /** Gives ids to the stack that was unwound last. */
  void name(StackSnapshot snapshot, SampledThreads.Entry thread) {
    stackId = names.stackId(frames, map);
    if (!snapshot.isWaitingForCall()) {
      pipeline.record(snapshot, map, frames, stackId);
    }
    threadKey = threads.ownerOf(frames, snapshot, thread);
    contextId = decoder.contexts().ofBeside(threads.owner(), snapshot.timeNanos(), 0);
  }

  /** Whether the stack that was unwound last has a frame of the JVM's generated code. */
  boolean hasJavaFrames() {
    for (int i = 0; i < frames.count(); i++) {
      if (frames.method(i) != FrameBuffer.NO_METHOD) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether the stack that was unwound last is of a thread that the JVM has started in native code:
   * its first function outside of the C library is libjvm's.
   */
  boolean startsInJvm() {
    for (int i = frames.count() - 1; i >= 0; i--) {
      if (frames.kind(i) != FrameKind.NATIVE) {
        return false;
      }
      MappedModule module = map.find(frames.pc(i) - 1);
      if (module == null || !module.isLibc()) {
        return module != null && module.name().equals(LIBJVM);
      }
    }
    return false;
  }
}
