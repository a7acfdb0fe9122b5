package stackweave.agent.feature.waiting;

import java.util.Arrays;
import stackweave.cpu.CallKind;
import stackweave.cpu.SystemCall;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.HotSpotMethod;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.hotspot.runtime.BlockedJavaThread;
import stackweave.jfr.event.ThreadState;
import stackweave.linux.task.TaskFiles;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Finds out what a blocked thread waits for: by its system call, the descriptor that it waits on,
 * its state in the JVM, and its innermost Java frame. Called for each stack that was read, while
 * the thread still waits. Allocates nothing for methods met before; for the drain thread only.
 */
final class WaitReason {
  /** Stands in {@link #waits} for a method by which Java code does not wait. */
  private static final ThreadState NOTHING = ThreadState.BLOCKED;

  private final HotSpotMethods methods;
  private final TaskFiles files;
  private final BlockedStacks stacks;

  /** What a method waits for, by its id in {@link #methods}; null if not determined yet. */
  private ThreadState[] waits = new ThreadState[256];

  private int generation;

  /**
   * @param stacks the reader of the stacks
   */
  WaitReason(HotSpotMethods methods, TaskFiles files, BlockedStacks stacks) {
    this.methods = methods;
    this.files = files;
    this.stacks = stacks;
  }

  /**
   * The code of a {@link ThreadState}.
   *
   * @param denied whether the system call is not known
   * @param java null if the thread is none of the JVM's, or they are not known
   * @param ofJvm whether it is a thread of the JVM's own native code
   */
  int of(
      StackSnapshot snapshot,
      FrameBuffer frames,
      BlockedJavaThread java,
      boolean denied,
      boolean ofJvm) {
    if (denied) {
      return ofJava(frames, java, ThreadState.BLOCKED).code();
    }
    if (!stacks.callKnown) {
      return ThreadState.BLOCKED.code();
    }
    int number = files.call();
    if (number == TaskFiles.NO_CALL) {
      boolean isStopped = files.isStopped(snapshot.tid()) && isStill();
      return (isStopped ? ThreadState.STOPPED : ThreadState.PAGE_FAULT).code();
    }
    CallKind kind = SystemCall.kind(number);
    return switch (kind) {
      case OTHER -> ThreadState.ofSystemCall(number);
      case FUTEX -> ofFutex(frames, java, ofJvm).code();
      case DESCRIPTOR -> ofDescriptor((int) files.argument(0), snapshot.tid()).code();
      case POLL -> ofPoll(snapshot).code();
      case SOCKET -> ThreadState.SOCKET.code();
      case MANY -> ThreadState.POLL.code();
      case SLEEP -> ThreadState.SLEEP.code();
      case CHILD -> ThreadState.CHILD.code();
      case FILE -> ofFile(snapshot.tid()).code();
      case SIGNAL ->
          isInHandler(frames) ? ThreadState.BLOCKED.code() : ThreadState.ofSystemCall(number);
      case RESTARTED -> ofJava(frames, java, ThreadState.BLOCKED).code();
    };
  }

  /**
   * Whether the thread has not run since its stack was read, so that what the kernel says now is
   * about the same wait. The type of a descriptor changes too rarely to check this.
   */
  private boolean isStill() {
    return !stacks.hasMoved();
  }

  /** A wait in a file's name is for a pipe if the kernel shows that, which it may not at first. */
  private ThreadState ofFile(int tid) {
    return files.waitsForPipe(tid) && isStill() ? ThreadState.PIPE : ThreadState.FILE;
  }

  /**
   * Whether the thread is in a signal handler. If it waits for a signal there, it is suspended, as
   * JFR's own sampler suspends threads (SR_handler in signals_posix.cpp, JDK 17 to 27): then it is
   * not known what the application waits for.
   */
  private static boolean isInHandler(FrameBuffer frames) {
    for (int i = 1; i < frames.count(); i++) {
      if (frames.isInterrupted(i)) {
        return true;
      }
    }
    return false;
  }

  private ThreadState ofFutex(FrameBuffer frames, BlockedJavaThread java, boolean ofJvm) {
    ThreadState otherwise =
        ofJvm || java != null && java.state() == BlockedJavaThread.BLOCKED
            ? ThreadState.VM_LOCK
            : ThreadState.NATIVE_LOCK;
    return ofJava(frames, java, otherwise);
  }

  private ThreadState ofJava(FrameBuffer frames, BlockedJavaThread java, ThreadState otherwise) {
    if (java != null && java.isEntering()) {
      return ThreadState.MONITOR;
    }
    if (java != null && java.isWaiting()) {
      return ThreadState.OBJECT_WAIT;
    }
    ThreadState innermost = innermostJava(frames);
    return innermost == NOTHING ? otherwise : innermost;
  }

  private ThreadState innermostJava(FrameBuffer frames) {
    for (int i = 0; i < frames.count(); i++) {
      int method = frames.method(i);
      if (method != FrameBuffer.NO_METHOD && !methods.get(method).isStub()) {
        return waits(method);
      }
    }
    return NOTHING;
  }

  private ThreadState waits(int method) {
    if (generation != methods.generation()) {
      generation = methods.generation();
      Arrays.fill(waits, null);
    }
    if (method >= waits.length) {
      waits = Arrays.copyOf(waits, Math.max(methods.size(), 2 * waits.length));
    }
    if (waits[method] == null) {
      waits[method] = waits(methods.get(method));
    }
    return waits[method];
  }

  /** The native methods by which Java code waits, JDK 17 to 27. */
  private static ThreadState waits(HotSpotMethod method) {
    return switch (method.className() + "." + method.name()) {
      case "jdk.internal.misc.Unsafe.park" -> ThreadState.PARK;
      case "java.lang.Object.wait", "java.lang.Object.wait0" -> ThreadState.OBJECT_WAIT;
      case "java.lang.Thread.sleep", "java.lang.Thread.sleep0", "java.lang.Thread.sleepNanos0" ->
          ThreadState.SLEEP;
      default -> NOTHING;
    };
  }

  /** A poll of one descriptor, as the JDK does before it reads a socket with a timeout. */
  private ThreadState ofPoll(StackSnapshot snapshot) {
    if (files.argument(1) != 1) {
      return ThreadState.POLL;
    }
    try {
      // struct pollfd: int fd, short events, short revents
      int fd = (int) snapshot.readLong(files.argument(0));
      ThreadState one = ofDescriptor(fd, snapshot.tid());
      return one == ThreadState.BLOCKED ? ThreadState.POLL : one;
    } catch (UnreadableMemoryException e) {
      return ThreadState.POLL;
    }
  }

  private ThreadState ofDescriptor(int fd, int tid) {
    return switch (files.descriptor(fd)) {
      case SOCKET -> ThreadState.SOCKET;
      case PIPE -> ThreadState.PIPE;
      case EPOLL -> ThreadState.POLL;
      case DEVICE -> ThreadState.DEVICE;
      case PATH -> ofFile(tid);
      case UNKNOWN -> ThreadState.BLOCKED;
    };
  }
}
