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
  /** What is missing where {@link #areClocksKnown} is false, for users. */
  static final String WITHOUT_CLOCKS =
      "this kernel does not say how long threads of other processes run (CONFIG_SCHED_INFO)";

  final EventStore store;
  final TaskList tasks;
  final TaskFiles files;
  final CpuTime clocks;
  final WallDecoder decoder;
  final BlockedStacks stacks;

  /** The thread that is not looked at: the drain thread, if it is one of the process. */
  final int ownTid;

  /** The id of the process, and of its first thread. */
  final int processId;

  final WaitReason reason;
  private final boolean isOwn;

  /** What the thread of the last decoded stack waits for: the code of a ThreadState. */
  int state;

  private WallParts(SystemCalls calls, TaskList tasks, Decoder decoder, SamplePipeline samples) {
    this.store = decoder.store();
    this.tasks = tasks;
    SampledProcess process = decoder.process().process();
    this.files = new TaskFiles(calls, process);
    this.clocks = new CpuTime(process);
    this.decoder = new WallDecoder(decoder, samples);
    HotSpot hotSpot = decoder.process().hotSpot();
    this.stacks =
        new BlockedStacks(
            calls.architecture(),
            files,
            decoder.process().memory(),
            hotSpot == null ? null : hotSpot.blockedThread());
    this.reason = new WaitReason(decoder.methods(), files, stacks);
    this.ownTid = process.isOwn() ? calls.gettid() : 0;
    this.processId = process.pid();
    this.isOwn = process.isOwn();
  }

  /**
   * Opens the readers.
   *
   * @param failure what is not done without them, for users
   * @throws FeatureRefusedException if the process's threads can't be listed, or nothing shows
   *     whether they run
   */
  static WallParts open(Decoder decoder, SamplePipeline samples, String failure)
      throws FeatureRefusedException {
    SystemCalls calls = SystemCalls.current().orElseThrow();
    SampledProcess process = decoder.process().process();
    TaskList tasks = TaskList.open(calls, process);
    if (tasks == null) {
      throw new FeatureRefusedException(
          failure
              + ": "
              + process.file("task")
              + " can't be read ["
              + Errno.name(Libc.errno())
              + "]");
    }
    if (!areClocksKnown(process)) {
      tasks.close();
      throw new FeatureRefusedException(failure + ": " + WITHOUT_CLOCKS);
    }
    return new WallParts(calls, tasks, decoder, samples);
  }

  /** Whether the kernel says how long the process's threads have run. */
  static boolean areClocksKnown(SampledProcess process) {
    try (TaskFiles files = new TaskFiles(SystemCalls.current().orElseThrow(), process)) {
      return files.cpuNanos(process.pid()) > 0;
    }
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
    boolean ofJvm = !isJava(thread) && (stacks.denied || decoder.startsInJvm());
    if (ofJvm && !filter.includesJvm()) {
      return false;
    }
    BlockedJavaThread java = thread.vmThread == 0 ? null : stacks.java;
    state = reason.of(snapshot, decoder.frames, java, stacks.denied, ofJvm);
    decoder.name(snapshot, thread);
    decoder.end = read ? decoder.end : StopReason.UNREADABLE_MEMORY;
    return true;
  }

  /**
   * Whether the thread whose stack was unwound is one that Java code can see. Of another process
   * the VM's list has its compilers, too, which have no Java frames.
   */
  private boolean isJava(SampledThreads.Entry thread) {
    return isOwn ? thread.isJava() : decoder.hasJavaFrames();
  }

  @Override
  public void close() {
    stacks.close();
    tasks.close();
    clocks.close();
  }
}
