package stackweave.hotspot.unloading;

/**
 * From when to when a copy of something in the VM is known to match the original. The VM frees and
 * reuses memory, and a sample is older than what is read for it: a copy may be used for a sample
 * only if it matched at the sample's time. Base class of blobs and methods; times by {@link
 * System#nanoTime}.
 */
public abstract class Lifetime {
  /**
   * For how long after it was last seen a freed original may still be meant by a sample, in ns:
   * longer than rounds take, and samples wait to be decoded together (0.2 s).
   */
  private static final long REACH_NANOS = 250_000_000;

  /**
   * How long a copy is used without comparing it, if no class was unloaded, in ns: a redefinition
   * frees the methods of the version before last, and no counter shows it.
   */
  private static final long TRUST_NANOS = 10_000_000_000L;

  /**
   * So long after classes were seen to be unloaded, in ns, the VM has taken the code that names
   * them out of the code cache: it counts them first, then unlinks their code, then frees both.
   */
  private static final long SETTLED_NANOS = 2_000_000_000L;

  private long firstSeen;
  private long lastSeen;
  private int collectionsSeen;
  private int checkedIn;

  /** When it was really read last, and the epoch of {@link Unloading} at that time. */
  private long compared;

  private int comparedIn;

  /** Says that it was copied out of the VM just now. */
  public final void setRead(CheckRounds rounds) {
    firstSeen = System.nanoTime();
    lastSeen = firstSeen;
    compared = firstSeen;
    checkedIn = rounds.current();
    collectionsSeen = rounds.collections();
    rounds.look();
    comparedIn = provenEpoch(rounds);
  }

  /** Says that it was compared with the VM and found unchanged. */
  public final void setCompared(CheckRounds rounds) {
    compared = rounds.started();
    comparedIn = provenEpoch(rounds);
    setUnchanged(rounds);
  }

  /**
   * The epoch, or 0 where the sample was taken before the last unloading: freed memory keeps its
   * words until it is reused, at an unknown time. What a later sample shows running was not freed
   * by that unloading.
   */
  private static int provenEpoch(CheckRounds rounds) {
    return rounds.isBeforeUnloading() ? 0 : rounds.unloading().epoch();
  }

  /** Has it compared again at its next use: being unchanged does not show that it is in use. */
  public final void distrust() {
    comparedIn = 0;
  }

  /** Says that it is unchanged in this round. */
  public final void setUnchanged(CheckRounds rounds) {
    lastSeen = Math.max(lastSeen, rounds.started());
    collectionsSeen = rounds.collections();
    checkedIn = rounds.current();
  }

  /**
   * Of what is freed only with its class: whether none was unloaded since it was compared, which
   * must be less than {@link #TRUST_NANOS} ago.
   */
  public final boolean isUnfreed(CheckRounds rounds) {
    return comparedIn == rounds.unloading().epoch()
        && rounds.unloading().isTold()
        && rounds.started() - compared < TRUST_NANOS;
  }

  /**
   * Of code: whether it was found in the code cache since the last unloading, and that was over by
   * then. Then what it names has not been freed since.
   */
  public final boolean isLive(CheckRounds rounds) {
    return isUnfreed(rounds) && rounds.unloading().isSettledAt(compared - SETTLED_NANOS);
  }

  /** Says that it is gone; it won't be {@link #isChecked} again. */
  protected final void setUnchecked() {
    checkedIn = 0;
  }

  /** Whether it was found unchanged in this round. */
  public final boolean isChecked(CheckRounds rounds) {
    return checkedIn == rounds.current();
  }

  /** When it was first read. */
  public final long firstSeen() {
    return firstSeen;
  }

  /** When it was last known to be unchanged. */
  public final long lastSeen() {
    return lastSeen;
  }

  /** Whether it was seen both before that time and after it. */
  public final boolean isProven(long timeNanos) {
    return firstSeen <= timeNanos && timeNanos <= lastSeen;
  }

  /** For what is there now: whether nothing else can have been there at the sample's time. */
  public final boolean isSameSince(CheckRounds rounds) {
    long time = rounds.sampleTime();
    return firstSeen <= time || !rounds.unloading().isSince(time);
  }

  /** For code that is there now: whether other code can have been there at that time. */
  public final boolean isDoubtful(Unloading unloading, long timeNanos) {
    return firstSeen > timeNanos && unloading.isCodeFreedSince(timeNanos);
  }

  /** For what was replaced since: whether it was there at the sample's time. */
  public final boolean wasThere(CheckRounds rounds) {
    return isProven(rounds.sampleTime());
  }

  /** For what is gone, with nothing in its place: whether only it can be what the sample saw. */
  public final boolean isLastThere(CheckRounds rounds) {
    long time = rounds.sampleTime();
    return firstSeen <= time
        && (time <= lastSeen
            || time - lastSeen < REACH_NANOS && rounds.collections() - collectionsSeen <= 1);
  }
}
