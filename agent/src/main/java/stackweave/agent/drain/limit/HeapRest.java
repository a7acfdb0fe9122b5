package stackweave.agent.drain.limit;

/**
 * When the drain thread leaves the heap alone: where little of it is free, the next collection may
 * be the one before the application runs out of memory, and must find that nothing holds what
 * stacks are decoded with but a soft reference. So no turn begins then, and one that works leaves
 * between two samples, which wait in the engine's rings.
 *
 * <p>A rest lasts {@link #MAX_NANOS}: an application that has not taken in that time what is free
 * won't take it during a turn. Where collections show that it keeps taking memory it lasts {@link
 * #MAX_REST_NANOS}, unless {@link HeapSlack#isShort} ends sampling before: the rings have room for
 * no more. Allocates nothing. For the drain thread only.
 */
public final class HeapRest {
  /** Longest rest while the application keeps no more memory than before. */
  static final long MAX_NANOS = 250_000_000L;

  /** Longest rest. */
  static final long MAX_REST_NANOS = 1_000_000_000L;

  /** How long to wait until the heap is looked at again. */
  public static final long LOOK_NANOS = 2_000_000L;

  /**
   * It rests below this, too: one sample may take milliseconds, and an application fills 5 MiB in
   * one. But not below more than an eighth of the heap, of which a small one may never have more.
   */
  private static final long MIN_BYTES = 16L << 20;

  private final HeapSlack slack;
  private final long restBytes;

  /** A turn is left when less than that is free. */
  private long floorBytes;

  private boolean resting;
  private long since;
  private long collection;

  private long full;

  /** Whether there was a full collection since the last one that was seen. */
  private boolean isFull;

  /** Whether there were young collections during the rest, but no full one. */
  private boolean refilled;

  /** Least of what was in use after collections since the application last took more. */
  private long kept;

  private long takenAt;
  private long restedNanos;

  /**
   * @param slack is looked at before each question
   */
  public HeapRest(HeapSlack slack) {
    this.slack = slack;
    this.restBytes = Math.max(Math.min(MIN_BYTES, slack.maxBytes() / 8), slack.keepBytes());
  }

  /**
   * Whether the turn that is due is put off.
   *
   * @param now by {@link System#nanoTime}
   */
  public boolean putsOff(long now) {
    long free = slack.freeBytes();
    if (free >= restBytes) {
      end(now);
      floorBytes = restBytes;
      return false;
    }
    boolean isNew = slack.collection() != collection;
    // G1 counts the pauses of its concurrent cycles apart, before the next collection.
    isFull |= slack.fullCollection() != full;
    collection = slack.collection();
    full = slack.fullCollection();
    long used = slack.usedAfterLastButOne();
    if (!resting) {
      resting = true;
      since = now;
      takenAt = now;
      refilled = false;
      isFull = false;
      kept = used;
    } else if (isNew) {
      refilled = !isFull;
      // What is enough to go on would let it rest longer for nothing.
      if (isFull && free < slack.keepBytes() || used - kept > slack.keepBytes() / 4) {
        takenAt = now;
        kept = used;
      }
      kept = Math.min(kept, used);
      isFull = false;
    }
    floorBytes = restBytes;
    if (now - takenAt < MAX_NANOS && now - since < MAX_REST_NANOS) {
      return true;
    }
    end(now);
    // Where only the young generation is collected, it fills up again and again.
    floorBytes = refilled ? 0 : free / 2;
    return false;
  }

  /** Ends a rest, for a turn that must come now and work until it is done. */
  public void end(long now) {
    if (resting) {
      resting = false;
      restedNanos += now - since;
    }
    floorBytes = 0;
  }

  /** Whether a turn must be left at once: too little is free by now. */
  public boolean mustLeave() {
    return slack.freeBytes() < floorBytes;
  }

  /** Whether it rests now. */
  public boolean isResting() {
    return resting;
  }

  /** How long it has rested since the last call, by the rests that are over; in ns. */
  public long takeNanos() {
    long rested = restedNanos;
    restedNanos = 0;
    return rested;
  }
}
