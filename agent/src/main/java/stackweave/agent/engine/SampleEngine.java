package stackweave.agent.engine;

import stackweave.jfr.control.EngineKind;

/**
 * A running engine, as the drain thread sees it: wait, drain, and in the end stop, drain, close.
 *
 * <p>All methods but {@link #wake} belong to the thread that started the engine. The interval of a
 * running engine is fixed (threads that inherited their events would keep the old one): to change
 * it, stop, drain, close and start the next engine.
 */
public interface SampleEngine extends AutoCloseable {

  EngineKind kind();

  /** CPU time between two samples of a thread, in ns. */
  long intervalNanos();

  /** The shortest of those that this engine can reach here, if that is longer; in ns. */
  default long reachedIntervalNanos() {
    return intervalNanos();
  }

  /**
   * Waits until a ring is filling up, {@link #wake} is called, or the time is over.
   *
   * @param timeoutMillis ≥ 0
   * @return false if nothing but the time has passed
   */
  boolean await(int timeoutMillis);

  /** Ends the present or else the next {@link #await}. Any thread, any time; never blocks. */
  void wake();

  /**
   * Whether threads that are short escape it unless it is told of their start: it has to find
   * threads by itself, and they don't inherit what samples them.
   */
  default boolean profitsFromThreadStarts() {
    return false;
  }

  /** From here on these are asked for threads, at least whenever the drain thread is unparked. */
  default void follow(ThreadStarts starts) {}

  /**
   * Whether {@link EngineSink#mapped} tells of new mappings; otherwise the drain has to look for
   * them.
   */
  default boolean reportsMappings() {
    return true;
  }

  /**
   * How long it may be left alone while samples come, in ms. What samples point at (compiled code,
   * loaded classes) may be gone soon, and a wake-up costs about 25 µs.
   */
  default int busyMillis() {
    return 10;
  }

  /** What the user should know of how the engine gets on, in a few words; "" if nothing. */
  default String note() {
    return "";
  }

  /**
   * Delivers, in the order of time, what is surely complete up to {@code untilTimeNanos}: what a
   * CPU may still be about to write an earlier record for is held back until the next call. After
   * {@link #stop} nothing is held back.
   *
   * @param untilTimeNanos the last time to deliver, on the clock of System.nanoTime; {@link
   *     Long#MAX_VALUE} for no limit of one's own
   * @return how many records were taken, of all kinds
   */
  int drain(long untilTimeNanos, EngineSink sink);

  /**
   * The highest stack pointer of a thread in its samples that wait to be delivered, 0 where there
   * is none: where the thread has been since the sample at hand. From within {@link #drain}.
   */
  default long highestStackPointer(int tid) {
    return 0;
  }

  /** How much of the fullest ring waits to be drained, from 0 to 1. */
  double backlog();

  /**
   * Whether threads may by now run where this engine does not see them, so that another one has to
   * be started in its place. Looks at every thread, so not for every batch.
   */
  default boolean isOutgrown() {
    return false;
  }

  /**
   * Whether it has stopped by itself, for going on would cost the application too much; another
   * engine has to be started in its place. Costs nothing.
   */
  default boolean hasEnded() {
    return false;
  }

  /** No new samples from here on; what is in the rings can still be drained. */
  void stop();

  /** The counters; reads one counter per event from the kernel, so not for every batch. */
  EngineStatistics statistics();

  /** Releases file descriptors and memory, stopping first where need be. Again has no effect. */
  @Override
  void close();
}
