package stackweave.lab.heap;

/** An agent that does nothing, to measure what any agent costs a JVM. */
public final class EmptyAgent {
  private EmptyAgent() {}

  /** are ignored */
  public static void premain(String options) {
    // Nothing: that is what the other agent is compared with.
  }
}
