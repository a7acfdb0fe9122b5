package stackweave.agent.feature;

/** A feature is asked for and can't be had; the message says what and why, in one line. */
public final class FeatureRefusedException extends Exception {
  private static final long serialVersionUID = 1;

  public FeatureRefusedException(String message) {
    super(message);
  }
}
