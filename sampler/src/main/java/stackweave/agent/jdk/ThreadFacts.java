package stackweave.agent.jdk;

/** What is to know of a Java thread, where that depends on the JDK. Any thread. */
public final class ThreadFacts {
  /** The class of the threads of the JDK's own scheduler of virtual threads, from JDK 20 on. */
  private static final String CARRIER = "jdk.internal.misc.CarrierThread";

  private ThreadFacts() {}

  /** Whether it is there to carry virtual threads. */
  public static boolean isCarrier(Thread thread) {
    return thread.getClass().getName().equals(CARRIER);
  }
}
