package stackweave.agent.engine;

import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SampledEvent;

/**
 * A running engine. The drain thread calls await and drain repeatedly, and at the end stop, drain
 * and close.
 *
 * <p>All methods but {@link #wake} may be called only by the thread that started the engine. The
 * interval is fixed, since threads that inherited their events would keep the old one: to change
 * it, start another engine.
 */
public interface SampleEngine extends AutoCloseable {

  /** Which engine this is. */
  EngineKind kind();

  /** CPU time between two samples of a thread, in ns. */
  long intervalNanos();

  /** What it samples: CPU time, or an event with its interval. */
  default SampledEvent event() {
    return SampledEvent.CPU;
  }

  /** The interval that this engine reaches here, in ns; not shorter than {@link #intervalNanos}. */
  default long reachedIntervalNanos() {
    return intervalNanos();
  }

  /**
   * Waits until a ring is filling up, {@link #wake} is called, or the time has passed.
   *
   * @param timeoutMillis ≥ 0
   * @return false if only the time has passed
   */
  boolean await(int timeoutMillis);

  /** Ends the present {@link #await}, or else the next. Any thread, at any time; never blocks. */
  void wake();

  /**
   * Whether short threads are missed unless their starts are reported: the engine has to find
   * threads by itself.
   */
  default boolean profitsFromThreadStarts() {
    return false;
  }

  /**
   * Sets a source of started threads, which is asked at least whenever the drain thread is
   * unparked.
   */
  default void follow(ThreadStarts starts) {}

  /**
   * Whether new mappings are reported by {@link EngineSink#mapped}; if not, the drain thread has to
   * look for them.
   */
  default boolean reportsMappings() {
    return true;
  }

  /**
   * How long it may stay undrained while samples come, in ms: its rings must not be full before. A
   * wake-up costs 25 µs, and four times that while the drain thread's code is interpreted.
   */
  default int busyMillis() {
    return 40;
  }

  /**
   * Waits as {@link #await} does, but for rings that are to be drained although the samples in them
   * may wait; for no longer than {@link #busyMillis}.
   *
   * @return whether they are
   */
  default boolean awaitFilling(int timeoutMillis) {
    return await(timeoutMillis);
  }

  /**
   * Whether nothing gets lost if the samples in the rings are drained some tenths of a second
   * later, with what comes until then. Cheap.
   */
  default boolean maySamplesWait() {
    return true;
  }

  /** A note for the user on the engine's state; empty if there is nothing to say. */
  default String note() {
    return "";
  }

  /**
   * Delivers, in order of time, the records up to {@code untilTimeNanos}. Records are held back
   * until the next call while a CPU may still write an earlier one, which after {@link #stop} none
   * does, and where the sink does not {@link EngineSink#goesOn go on}.
   *
   * @param untilTimeNanos the last time to deliver, on the clock of System.nanoTime; {@link
   *     Long#MAX_VALUE} for no limit
   * @return how many records of all kinds were taken
   */
  int drain(long untilTimeNanos, EngineSink sink);

  /**
   * Call it now and then while samples are left in the rings: finds threads that have started since
   * and keeps within its limits, as {@link #await} and {@link #drain} do.
   */
  default void goOnUndrained() {}

  /**
   * The highest stack pointer of a thread among its samples not delivered yet, 0 if there are none:
   * how far it has returned since the present sample. Call it within {@link #drain}.
   */
  default long highestStackPointer(int tid) {
    return 0;
  }

  /**
   * Says what is known of a thread's stack of which more was needed than the sample's copy, or more
   * was copied. An engine that can copies that part of its next stacks, too, at the interrupt.
   *
   * @param end the address above the stack, 0 if not known
   * @param first the first address that was needed beyond the copy; 0 if none was
   */
  default void deepStack(int tid, long end, long first) {}

  /**
   * A thread was met otherwise than in this engine's samples: its end is to be told, too, where
   * only ends of sampled threads are. Allocates nothing for one met before.
   */
  default void met(int tid) {}

  /** Whether it interrupts threads by signals, which take room on their stacks. */
  default boolean sendsSignals() {
    return false;
  }

  /**
   * Says whether threads' signal stacks may be unmapped while the kernel still uses them. Engines
   * that send signals then leave them on the stack that they come upon.
   */
  default void signalStacksMayVanish(boolean mayVanish) {}

  /**
   * By how much a sample's time may differ from that of {@link System#nanoTime} at the instruction
   * that it shows, in ns; {@link Long#MAX_VALUE} if that is not known. Usually 0: both read one
   * clock.
   */
  default long clockErrorNanos() {
    return 0;
  }

  /** Share of the fullest ring that waits to be drained, 0 to 1. */
  double backlog();

  /**
   * Whether threads may run where this engine does not see them, so that another one must replace
   * it. Reads every thread's affinity, so not for every batch.
   */
  default boolean isOutgrown() {
    return false;
  }

  /**
   * Whether it has stopped by itself to spare the application, so that another engine must replace
   * it. Cheap.
   */
  default boolean hasEnded() {
    return false;
  }

  /** Ends sampling; what is in the rings can still be drained. */
  void stop();

  /** The counters. Reads one counter per event from the kernel, so not for every batch. */
  EngineStatistics statistics();

  /** Stops if necessary and releases file descriptors and memory. Repeated calls have no effect. */
  @Override
  void close();
}
