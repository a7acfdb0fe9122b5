package stackweave.agent.feature.waiting;

/** A thread whose switches are recorded, as {@link BlockedSampler} knows it. */
final class BlockedThread extends KnownThread {
  /** Whether a thread is looked at. */
  enum Kind {
    /** It isn't known yet. */
    NEW,
    WATCHED,
    /** Excluded by its name, or because it is the JVM's. */
    EXCLUDED
  }

  Kind kind = Kind.NEW;

  /** When that was decided. */
  long decidedAt;

  /** Whether it has left its CPU without being preempted, and when. */
  boolean isOut;

  long outAt;

  /** The process and thread that woke it since, and when; process 0 if that is not known. */
  int wakerPid;

  int wakerTid;
  long wokenAt;

  /** When the stack was read, if one is known. */
  long seenAt;

  /** How many waits of a new thread ended before a look. */
  int unseen;

  BlockedThread(int tid) {
    super(tid);
  }
}
