package stackweave.agent.feature.waiting;

import stackweave.agent.decode.Decoder;
import stackweave.agent.decode.SamplePipeline;
import stackweave.agent.feature.FeatureRefusedException;
import stackweave.hotspot.HotSpot;
import stackweave.jfr.store.EventStore;
import stackweave.linux.CpuTime;
import stackweave.linux.Errno;
import stackweave.linux.Libc;
import stackweave.linux.SystemCalls;
import stackweave.linux.TaskList;
import stackweave.linux.ThreadCount;
import stackweave.linux.task.TaskFiles;

/**
 * What looks at waiting and at blocked threads work with: readers of threads from outside, and what
 * gives their stacks ids. For the drain thread.
 */
final class WallParts implements AutoCloseable {
  final EventStore store;
  final TaskList tasks;
  final ThreadCount threadCount;
  final TaskFiles files;
  final CpuTime clocks = new CpuTime();
  final WallDecoder decoder;
  final BlockedStacks stacks;
  final WaitReason reason;
  final int ownTid;
  final int processId = Libc.getpid();

  private WallParts(SystemCalls calls, TaskList tasks, Decoder decoder, SamplePipeline samples) {
    this.store = decoder.store();
    this.tasks = tasks;
    this.threadCount = new ThreadCount(calls);
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
    TaskList tasks = TaskList.open(calls);
    if (tasks == null) {
      throw new FeatureRefusedException(
          failure + ": /proc/self/task can't be read [" + Errno.name(Libc.errno()) + "]");
    }
    return new WallParts(calls, tasks, decoder, samples);
  }

  @Override
  public void close() {
    stacks.close();
    tasks.close();
    threadCount.close();
  }
}
