package stackweave.agent.feature.waiting;

/** A thread whose switches are recorded, as {@link BlockedSampler} knows it. */
final class BlockedThread extends KnownThread {
  /** Whether a thread is looked at. */
  enum Kind {
    /** It isn't known yet. */
    NEW,
    WATCHED,
    /** Left out: by its name, or because it is the JVM's. */
    EXCLUDED
  }

  Kind kind = Kind.NEW;

  /** When that was decided. */
  long decidedAt;

  /** Whether it has left its CPU otherwise than by losing it, and when. */
  boolean isOut;

  long outAt;

  /** Who woke it since, and when; a process of 0 if that is not known. */
  int wakerPid;

  int wakerTid;
  long wokenAt;

  /** When the stack was read, if one is known. */
  long seenAt;

  /** How often a wait of a new thread was over before a look. */
  int unseen;

  BlockedThread(int tid) {
    super(tid);
  }
}
