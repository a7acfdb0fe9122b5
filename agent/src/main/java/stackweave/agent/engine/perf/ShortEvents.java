package stackweave.agent.engine.perf;

/**
 * The interface of {@link PerfShortEvents} for {@link PerfRecords}: which samples are of short
 * events, and which threads start and end. For the drain thread only.
 */
interface ShortEvents {
  /** Whether the root event is, or was recently, one of these. */
  boolean contains(long root);

  /** Whether a root event of these is closed. */
  boolean isRetired(long root);

  /** Whether these events were opened on the thread itself, to be inherited. */
  boolean isStarter(int tid);

  /** A thread was started. */
  void started(int tid, int parentTid, long timeNanos);

  /** A thread has ended. */
  void ended(int tid);
}
