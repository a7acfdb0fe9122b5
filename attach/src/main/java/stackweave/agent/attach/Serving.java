package stackweave.agent.attach;

/**
 * The state of sampling for one recording of the command {@code record}, as the agent publishes it.
 *
 * @param stage how far it has come
 * @param report summary of the samples, one topic a line; empty before the end
 */
public record Serving(Stage stage, String report) {

  /** The stages, in order. */
  public enum Stage {
    /** Sampling is being set up. */
    PREPARING,
    /** Samples are taken, or the agent's status says why none can be. */
    SAMPLING,
    /** The recording has ended. */
    ENDED
  }
}
