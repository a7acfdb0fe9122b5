package stackweave.agent.attach;

import stackweave.agent.jdk.NativeThreadName;

/** The name of the agent's own thread, in Java and as the kernel has it. */
public final class DrainThreadName {
  /** In Java. */
  public static final String NAME = "stackweave-drain";

  private DrainThreadName() {}

  /** Whether this is what /proc/PID/task/TID/comm says of it, without the line's end. */
  public static boolean isComm(String comm) {
    return NativeThreadName.isOf(NAME, comm);
  }
}
