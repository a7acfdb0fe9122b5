package stackweave.jfr.control;

/**
 * Delays everything that sampling needs, including the registration of its events with JFR.
 * Implemented by the agent, called by {@link SamplingControl}.
 */
public interface StartGate {

  /** The present state of this JVM's recordings. On the control thread only. */
  interface Recordings {
    /** Whether any is running. */
    boolean areRunning();

    /** Whether a running recording requests samples, according to its own settings. */
    boolean ask();
  }

  /**
   * Called on the control thread before recordings are looked at; may block.
   *
   * @return true if sampling may be prepared; false if no recording is running any more, or the
   *     gate was closed
   */
  boolean await(Recordings recordings);
}
