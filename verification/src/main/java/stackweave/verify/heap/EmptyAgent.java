package stackweave.verify.heap;

/** What any agent costs a JVM. */
public final class EmptyAgent {
  private EmptyAgent() {}

  /**
   * Called by the JVM before main().
   *
   * @param options are of no use
   */
  public static void premain(String options) {
    // Nothing: that is what the other agent is compared with.
  }
}
