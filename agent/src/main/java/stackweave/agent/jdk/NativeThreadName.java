package stackweave.agent.jdk;

/** What HotSpot leaves of a Java thread's name where the kernel has room for 15 bytes of it. */
public final class NativeThreadName {
  /** TASK_COMM_LEN without the 0 at its end. */
  private static final int MAX = 15;

  private NativeThreadName() {}

  /**
   * Whether the kernel may call a thread so.
   *
   * @param name what Java calls it, in ASCII
   * @param comm what /proc/PID/task/TID/comm says of it, without the line's end
   */
  public static boolean isOf(String name, String comm) {
    return comm.equals(name.length() <= MAX ? name : name.substring(0, MAX))
        || name.length() > MAX && comm.equals(shortened(name));
  }

  /**
   * From JDK 26 on, os::Linux::set_native_thread_name takes out the middle; before, the kernel has
   * the first 15.
   */
  private static String shortened(String name) {
    return name.substring(0, 7) + ".." + name.substring(name.length() - 6);
  }
}
