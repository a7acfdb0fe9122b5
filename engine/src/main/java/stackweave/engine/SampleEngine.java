package stackweave.engine;

/**
 * A running engine: it makes the kernel take samples of this process's threads, and delivers them.
 * {@code EngineChooser} starts one, the drain thread calls {@link #await} and {@link #drain} in
 * turn, and at the end {@link #stop}, {@link #drain} and {@link #close}.
 *
 * <p>Only the thread that started the engine may call its methods, except {@link #wake}. A running
 * engine can't be changed, since threads inherit the kernel's events as they were made: for another
 * interval, start another engine.
 */
public interface SampleEngine extends AutoCloseable {

  /** The properties that do not change after the engine's start. */
  EngineDescription description();

  /**
   * Waits until samples are to be drained, {@link #wake} is called, or the time has passed; it may
   * return earlier. Meanwhile it does what must not wait for a drain, such as finding threads that
   * have started.
   *
   * @param timeoutMillis ≥ 0
   * @param gathers whether the samples in the rings may stay there, so that only rings that fill up
   *     are to be drained; {@link EngineState#SAMPLES_MAY_WAIT} permits that
   * @return false if only time has passed
   */
  boolean await(int timeoutMillis, boolean gathers);

  /** {@link #await(int, boolean)} for the next sample. */
  default boolean await(int timeoutMillis) {
    return await(timeoutMillis, false);
  }

  /** Ends the present {@link #await}, or else the next. Any thread, at any time; never blocks. */
  void wake();

  /**
   * Delivers, in order of time, the records up to {@code untilTimeNanos}. Records are held back
   * until the next call while a CPU may still write an earlier one, which after {@link #stop} none
   * does.
   *
   * @param untilTimeNanos the last time to deliver, on the clock of System.nanoTime; {@link
   *     Long#MAX_VALUE} for no limit
   * @return how many records of all kinds were taken
   */
  int drain(long untilTimeNanos, EngineSink sink);

  /** What the drain thread has to do, as of the last {@link #await} or {@link #drain}. Cheap. */
  EngineState state();

  /** Share of the fullest ring that waits to be drained, 0 to 1. Cheap, also within a drain. */
  double backlog();

  /** A note for the user on what the engine can't do here; empty if there is nothing to say. */
  String note();

  /** Ends sampling; what is in the rings can still be drained. Repeated calls have no effect. */
  void stop();

  /** The counters. Reads one counter per event from the kernel, so not for every batch. */
  EngineStatistics statistics();

  /** Stops if necessary and releases file descriptors and memory. Repeated calls have no effect. */
  @Override
  void close();
}
