package stackweave.samples.work;

/** The agent's own thread, {@code stackweave-drain}, as the kernel names it. */
public final class AgentThread {
  private AgentThread() {}

  /**
   * Whether this is its name in /proc/self/task/TID/comm, which has 15 bytes: the first up to JDK
   * 25; from 26 on the middle is taken out.
   */
  public static boolean isComm(String comm) {
    return comm.strip().matches("stackweave-drai|stackwe\\.\\.-drain");
  }
}
