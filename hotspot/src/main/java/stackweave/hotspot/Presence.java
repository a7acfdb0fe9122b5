package stackweave.hotspot;

/**
 * When something of the VM is known to have been what it is. Memory of the VM is freed and used
 * again, and samples are older than what is read for them: a copy speaks for a sample only if it
 * was there at the sample's time.
 *
 * <p>Times by {@link System#nanoTime}.
 */
abstract class Presence {
  /**
   * How long after it was last seen something counts as the last that was there, where nothing is
   * any more: longer than rounds and samples take, too short for two unloadings.
   */
  private static final long REACH_NANOS = 50_000_000;

  private long firstSeen;
  private long lastSeen;
  private int collectionsSeen;
  private int checkedIn;

  /** It was copied out of the VM just now. */
  final void setRead(CheckRounds rounds) {
    firstSeen = System.nanoTime();
    lastSeen = firstSeen;
    checkedIn = rounds.current();
    collectionsSeen = rounds.collections();
    rounds.unloading().look();
  }

  /** It was compared with the VM and found unchanged. */
  final void setUnchanged(CheckRounds rounds) {
    lastSeen = Math.max(lastSeen, rounds.started());
    collectionsSeen = rounds.collections();
    checkedIn = rounds.current();
  }

  /** Whether it was found unchanged in this round. */
  final boolean isChecked(CheckRounds rounds) {
    return checkedIn == rounds.current();
  }

  final long lastSeen() {
    return lastSeen;
  }

  /** Whether it was seen both before that time and after it. */
  final boolean isProven(long timeNanos) {
    return firstSeen <= timeNanos && timeNanos <= lastSeen;
  }

  /** Of what is there now: whether nothing else can have been there at the sample's time. */
  final boolean isSameSince(CheckRounds rounds) {
    long time = rounds.sampleTime();
    return firstSeen <= time || !rounds.unloading().isSince(time);
  }

  /** Of code that is there now: whether other code can have been there at that time. */
  final boolean isDoubtful(Unloading unloading, long timeNanos) {
    return firstSeen > timeNanos && unloading.isCodeFreedSince(timeNanos);
  }

  /** Of what was replaced since: whether it was there at the sample's time. */
  final boolean wasThere(CheckRounds rounds) {
    return isProven(rounds.sampleTime());
  }

  /** Of what is gone without a successor: whether nothing else can be what the sample saw. */
  final boolean isLastThere(CheckRounds rounds) {
    long time = rounds.sampleTime();
    return firstSeen <= time
        && (time <= lastSeen
            || time - lastSeen < REACH_NANOS && rounds.collections() - collectionsSeen <= 1);
  }
}
