package stackweave.jfr.event;

/**
 * What a sampled thread did, or what it waited for. The codes are those of {@code
 * Session.stateLegend} and never change their meaning. A system call that is none of the others has
 * a code of its own: {@link #ofSystemCall}. Immutable.
 */
public enum ThreadState {
  /** Running: all samples of CPU time. */
  ON_CPU(0, "on CPU"),
  /** It could run, but no CPU was free. */
  RUNNABLE(1, "waiting for a CPU"),
  /** It enters a {@code synchronized} block or method that another thread is in. */
  MONITOR(2, "monitor"),
  /** {@code LockSupport.park}: locks, conditions, queues of java.util.concurrent. */
  PARK(3, "park"),
  /** {@code Object.wait}. */
  OBJECT_WAIT(4, "Object.wait"),
  /** {@code Thread.sleep}, nanosleep(2) and their kind. */
  SLEEP(5, "sleep"),
  /** A futex(2) that is none of Java's: a lock or condition of native code. */
  NATIVE_LOCK(6, "native lock"),
  /** A futex of the JVM itself: a safepoint, one of its own locks. */
  VM_LOCK(7, "lock of the JVM"),
  /** Reading, writing, accepting, connecting, or polling a single socket. */
  SOCKET(8, "socket"),
  /** A regular file, a directory or a disk. */
  FILE(9, "file"),
  /** A pipe or FIFO. */
  PIPE(10, "pipe"),
  /** epoll, poll or select, but for a single socket. */
  POLL(11, "epoll"),
  /** The end of a child process. */
  CHILD(12, "child process"),
  /** Memory that was not there: a page is read from a file or from swap. */
  PAGE_FAULT(13, "page fault"),
  /** Terminals, event and timer descriptors, and other devices. */
  DEVICE(14, "device"),
  /** Not on a CPU, and not known why. */
  BLOCKED(15, "not known"),
  /** Stopped outside of system calls: by a signal, a debugger, the freezer of its control group. */
  STOPPED(16, "stopped");

  /** Added to the number of a system call that is none of the states above. */
  private static final int SYSTEM_CALL = 1_024;

  /** The largest code is below this. */
  private static final int LIMIT = 2 * SYSTEM_CALL;

  private static final String SYSTEM_CALL_LABEL = "system call ";

  private final int code;
  private final String label;

  ThreadState(int code, String label) {
    this.code = code;
    this.label = label;
  }

  /** The code in events. */
  public int code() {
    return code;
  }

  /** The label in the legend, the command line's options, and all that people read. */
  public String label() {
    return label;
  }

  /**
   * The code of a thread that is blocked in a system call that no constant stands for.
   *
   * @param number of the call, as the architecture of {@code Session.abi} has it; {@link #BLOCKED}
   *     stands for one that is not from 0 to 1,023
   */
  public static int ofSystemCall(int number) {
    return number >= 0 && number < LIMIT - SYSTEM_CALL ? SYSTEM_CALL + number : BLOCKED.code;
  }

  /** The label of a code that a session's legend lacks; "state 17" for one of a later version. */
  public static String label(int code) {
    return code >= SYSTEM_CALL && code < LIMIT
        ? SYSTEM_CALL_LABEL + (code - SYSTEM_CALL)
        : "state " + code;
  }

  /** Whether a label is of a thread that waited for something other than a CPU. */
  public static boolean isBlocked(String label) {
    if (label.startsWith(SYSTEM_CALL_LABEL)) {
      return true;
    }
    for (ThreadState state : values()) {
      if (state.label.equals(label)) {
        return state != ON_CPU && state != RUNNABLE;
      }
    }
    return false;
  }

  /** The legend of all states: code=label, separated by commas. */
  public static String legend() {
    StringBuilder legend = new StringBuilder();
    for (ThreadState state : values()) {
      legend.append(legend.isEmpty() ? "" : ",").append(state.code).append('=').append(state.label);
    }
    return legend.toString();
  }
}
