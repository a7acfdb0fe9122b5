package stackweave.lab;

/** An agent that does nothing, to measure what any agent costs a JVM. */
public final class EmptyAgent {
  private EmptyAgent() {}

  /** Does nothing: that is what the other agent is compared with. */
  public static void premain(String options) {}
}
