package stackweave.agent.attach;

/**
 * How the agent serves one recording of the command {@code record}.
 *
 * @param stage how far it has come
 * @param report how sampling went for it, a line for each matter; empty before the end
 */
public record Serving(Stage stage, String report) {

  /** The stages, one after the other. */
  public enum Stage {
    /** What sampling needs is being put together. */
    PREPARING,
    /** Samples are taken, or the status says why they can't be. */
    SAMPLING,
    /** The recording has ended. */
    ENDED
  }
}
