package stackweave.agent.attach;

/** The name of the agent's own thread, in Java and as the kernel has it. */
public final class DrainThreadName {
  /** In Java. */
  public static final String NAME = "stackweave-drain";

  /** The kernel keeps 15 bytes (TASK_COMM_LEN): HotSpot gives it the first up to JDK 25. */
  private static final String CUT = NAME.substring(0, 15);

  /** From JDK 26 on, os::Linux::set_native_thread_name takes out the middle: seven, and six. */
  private static final String SHORTENED =
      NAME.substring(0, 7) + ".." + NAME.substring(NAME.length() - 6);

  private DrainThreadName() {}

  /** Whether this is what /proc/PID/task/TID/comm says of it, without the line's end. */
  public static boolean isComm(String comm) {
    return comm.equals(CUT) || comm.equals(SHORTENED);
  }
}
