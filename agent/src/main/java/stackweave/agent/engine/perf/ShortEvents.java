package stackweave.agent.engine.perf;

/**
 * The events with a short period, as {@link PerfRecords} sees them: which samples are theirs, and
 * which threads start and end. {@link PerfShortEvents} has those of the kernel. For the drain
 * thread only.
 */
interface ShortEvents {
  /** Whether the root event is one of these, or was until a moment ago. */
  boolean contains(long root);

  /** Whether a root event that {@link #contains} is closed. */
  boolean isRetired(long root);

  /** Whether the thread has events of its own here, to be inherited. */
  boolean isStarter(int tid);

  /** A thread was started. */
  void started(int tid, int parentTid, long timeNanos);

  /** A thread has ended. */
  void ended(int tid);
}
