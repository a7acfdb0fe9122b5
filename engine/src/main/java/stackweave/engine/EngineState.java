package stackweave.engine;

/** What the drain thread is to do with an engine. */
public enum EngineState {
  /** Nothing gets lost if samples stay in the rings for some tenths of a second. */
  SAMPLES_MAY_WAIT,

  /** Samples are to be drained as they come. */
  DRAIN_SOON,

  /**
   * Another engine is to be started: this one has stopped by itself to spare the application, or
   * threads may run on a CPU where it does not see them.
   */
  TO_BE_REPLACED
}
