package stackweave.agent.attach;

/** The name of the agent's drain thread, in Java and in the kernel. */
public final class DrainThreadName {
  /** In Java. */
  public static final String NAME = "stackweave-drain";

  /** The kernel has room for 15 bytes (TASK_COMM_LEN), which are the first before JDK 26. */
  private static final String CUT = "stackweave-drai";

  /** From JDK 26 on, os::Linux::set_native_thread_name takes out the middle. */
  private static final String SHORTENED = "stackwe..-drain";

  private DrainThreadName() {}

  /** Whether this is what /proc/PID/task/TID/comm says of it, without the line's end. */
  public static boolean isComm(String comm) {
    return comm.equals(CUT) || comm.equals(SHORTENED);
  }
}
