package stackweave.agent.drain.wall;

import stackweave.agent.drain.name.StackNames;
import stackweave.agent.drain.sample.SamplePipeline;
import stackweave.agent.drain.thread.ThreadNames;
import stackweave.agent.linux.CpuTime;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.SystemCalls;
import stackweave.agent.linux.TaskList;
import stackweave.agent.linux.ThreadCount;
import stackweave.agent.linux.task.TaskFiles;
import stackweave.hotspot.MixedUnwinder;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.hotspot.runtime.BlockedJavaThread;
import stackweave.jfr.store.EventStore;
import stackweave.maps.modules.ModuleIndex;
import stackweave.unwind.MemoryReader;

/**
 * What a {@link WallSampler} works with: its own readers, and what it shares with the pipeline of
 * the engine's samples. Made by {@link #open}; for the drain thread.
 */
public record WallParts(
    EventStore store,
    WallDecoder decoder,
    BlockedStacks stacks,
    TaskFiles files,
    CpuTime clocks,
    WaitReason reason,
    TaskList tasks,
    ThreadCount threadCount,
    int ownTid,
    int processId) {

  /** What of the pipeline is shared; {@code java} is null where the JVM's threads are not known. */
  public record Shared(
      EventStore store,
      SamplePipeline pipeline,
      ModuleIndex modules,
      MixedUnwinder unwinder,
      HotSpotMethods methods,
      StackNames names,
      ThreadNames threads,
      MemoryReader memory,
      BlockedJavaThread java,
      int depth) {}

  /** Opens the readers; null if the process's threads can't be listed. */
  public static WallParts open(Shared shared) {
    SystemCalls calls = SystemCalls.current().orElseThrow();
    TaskList tasks = TaskList.open(calls);
    if (tasks == null) {
      return null;
    }
    TaskFiles files = new TaskFiles(calls);
    CpuTime clocks = new CpuTime();
    WallDecoder decoder =
        new WallDecoder(
            shared.pipeline(),
            shared.modules(),
            shared.unwinder(),
            shared.names(),
            shared.threads(),
            shared.depth());
    BlockedStacks stacks =
        new BlockedStacks(calls.architecture(), clocks, files, shared.memory(), shared.java());
    return new WallParts(
        shared.store(),
        decoder,
        stacks,
        files,
        clocks,
        new WaitReason(shared.methods(), files, stacks),
        tasks,
        new ThreadCount(calls),
        calls.gettid(),
        Libc.getpid());
  }
}
