package stackweave.agent.engine;

import stackweave.unwind.snapshot.StackSnapshot;

/**
 * What an engine delivers while it is drained: samples and what happened beside them, in the order
 * of time. Called on the drain thread only, from within {@link SampleEngine#drain}.
 *
 * <p>Times are those of the event on the clock of {@link System#nanoTime}; thread ids are those of
 * the OS. Only events of this process arrive. What happened beside the samples may be passed over.
 */
public interface EngineSink {

  /**
   * Whether the next sample is wanted. Asked once for each, before its stack is copied; one that is
   * not wanted is passed over, and others stand for its CPU time.
   */
  default boolean wantsSample() {
    return true;
  }

  /** A sample. The snapshot is the engine's, and overwritten by the next one. */
  void sample(StackSnapshot snapshot);

  /**
   * Executable memory was mapped. There is no such message for what was mapped before the engine
   * started, nor for unmapping.
   *
   * @param address where it begins
   * @param length in bytes
   * @param pageOffset where in the file it begins, in bytes
   * @param buildId the file's GNU build id, or null where it has none or the kernel doesn't say
   * @param path as /proc/self/maps has it; not a file where it begins with {@code [} or {@code //}
   */
  default void mapped(
      long timeNanos,
      int pid,
      int tid,
      long address,
      long length,
      long pageOffset,
      byte[] buildId,
      String path) {}

  /** A thread has a new name, as the kernel has it: at most 15 bytes. */
  default void renamed(long timeNanos, int tid, String comm) {}

  /** A thread was started by another one that is sampled. */
  default void started(long timeNanos, int tid, int parentTid) {}

  /** A thread has ended; its id may be used again. */
  default void exited(long timeNanos, int tid) {}

  /** So many records (nearly all of them samples) did not fit before this moment. */
  default void lost(long timeNanos, long count) {}
}
