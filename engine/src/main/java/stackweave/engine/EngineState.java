package stackweave.engine;

/** What the drain thread is to do with an engine. */
public enum EngineState {
  /** Samples may stay in the rings for some tenths of a second without loss. */
  SAMPLES_MAY_WAIT,

  /** Samples must be drained as they come. */
  DRAIN_SOON,

  /**
   * Another engine is to be started: this one has stopped by itself to spare the application, or
   * threads may run on a CPU that it does not sample.
   */
  TO_BE_REPLACED
}
