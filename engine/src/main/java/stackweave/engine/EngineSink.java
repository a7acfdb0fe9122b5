package stackweave.engine;

import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Receives an engine's samples and other records, in order of time. Called on the drain thread
 * only, from within {@link SampleEngine#drain}.
 *
 * <p>Times are of the event, on the clock of {@link System#nanoTime}; thread ids are the OS's. Only
 * events of this process arrive. An implementation may ignore all but the samples.
 */
public interface EngineSink {

  /**
   * Whether the next sample is wanted; called once for each, before its stack is copied. The CPU
   * time of a sample that is not wanted is part of other samples' weights.
   */
  default boolean wantsSample() {
    return true;
  }

  /** A sample. The snapshot belongs to the engine, which overwrites it with the next one. */
  void sample(StackSnapshot snapshot);

  /** A thread has a new name, of at most 15 bytes. */
  default void renamed(long timeNanos, int tid, String comm) {}

  /** A thread was started by another one that is sampled. */
  default void started(long timeNanos, int tid, int parentTid) {}

  /** A thread has ended; its id may be used again. */
  default void exited(long timeNanos, int tid) {}

  /** Records, nearly all of them samples, that found no room in a ring before this time. */
  default void lost(long timeNanos, long count) {}
}
