package stackweave.agent.feature.waiting;

import stackweave.agent.decode.Decoder;
import stackweave.agent.decode.SamplePipeline;
import stackweave.agent.decode.thread.SampledThreads;
import stackweave.agent.feature.FeatureRefusedException;
import stackweave.agent.option.WallFilter;
import stackweave.hotspot.HotSpot;
import stackweave.hotspot.runtime.BlockedJavaThread;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.store.EventStore;
import stackweave.linux.CpuTime;
import stackweave.linux.Errno;
import stackweave.linux.Libc;
import stackweave.linux.SystemCalls;
import stackweave.linux.TaskList;
import stackweave.linux.task.TaskFiles;
import stackweave.unwind.StopReason;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * The parts that samplers of waiting and of blocked threads share: readers of threads, and the
 * decoder of their stacks. For the drain thread.
 */
final class WallParts implements AutoCloseable {
  final EventStore store;
  final TaskList tasks;
  final TaskFiles files;
  final CpuTime clocks = new CpuTime();
  final WallDecoder decoder;
  final BlockedStacks stacks;
  final int ownTid;
  final int processId = Libc.getpid();
  final WaitReason reason;

  /** What the thread of the last decoded stack waits for: the code of a ThreadState. */
  int state;

  private WallParts(SystemCalls calls, TaskList tasks, Decoder decoder, SamplePipeline samples) {
    this.store = decoder.store();
    this.tasks = tasks;
    this.files = new TaskFiles(calls);
    this.decoder = new WallDecoder(decoder, samples);
    HotSpot hotSpot = decoder.process().hotSpot();
    this.stacks =
        new BlockedStacks(
            calls.architecture(),
            clocks,
            files,
            decoder.process().memory(),
            hotSpot == null ? null : hotSpot.blockedThread());
    this.reason = new WaitReason(decoder.methods(), files, stacks);
    this.ownTid = calls.gettid();
  }

  /**
   * Opens the readers.
   *
   * @param failure what is not done without them, for users
   * @throws FeatureRefusedException if the process's threads can't be listed
   */
  static WallParts open(Decoder decoder, SamplePipeline samples, String failure)
      throws FeatureRefusedException {
    SystemCalls calls = SystemCalls.current().orElseThrow();
    TaskList tasks = TaskList.open(calls, SampledProcess.OWN);
    if (tasks == null) {
      throw new FeatureRefusedException(
          failure + ": /proc/self/task can't be read [" + Errno.name(Libc.errno()) + "]");
    }
    return new WallParts(calls, tasks, decoder, samples);
  }

  /**
   * Unwinds and names the stack that {@link #stacks} has read, and finds out what its thread waits
   * for.
   *
   * @param read whether the stack could be read
   * @return false if the thread is one of the JVM's own that the filter excludes
   */
  boolean decode(SampledThreads.Entry thread, boolean read, WallFilter filter) {
    StackSnapshot snapshot = stacks.snapshot;
    decoder.unwind(snapshot);
    // If the kernel does not say, the JVM's threads can't be recognised, and there is no stack.
    boolean ofJvm = !thread.isJava() && (stacks.denied || decoder.startsInJvm());
    if (ofJvm && !filter.includesJvm()) {
      return false;
    }
    BlockedJavaThread java = thread.vmThread == 0 ? null : stacks.java;
    state = reason.of(snapshot, decoder.frames, java, stacks.denied, ofJvm);
    decoder.name(snapshot, thread);
    decoder.end = read ? decoder.end : StopReason.UNREADABLE_MEMORY;
    return true;
  }

  @Override
  public void close() {
    stacks.close();
    tasks.close();
  }
}
