package stackweave.agent.attach;

/**
 * What the agent answers to an {@link Order}.
 *
 * @param outcome whether the order was carried out
 * @param text for the user: one line of why not, or the lines of a report
 */
public record Reply(Outcome outcome, String text) {

  /** How an order ended. */
  public enum Outcome {
    DONE,
    FAILED
  }
}
