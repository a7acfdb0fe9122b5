package stackweave.agent.attach;

/** The agent's answer to an {@link Order}. */
public record Reply(Outcome outcome, String text) {

  /** How an order ended. */
  public enum Outcome {
    DONE,
    FAILED
  }
}
