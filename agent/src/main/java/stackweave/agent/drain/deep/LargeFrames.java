package stackweave.agent.drain.deep;

import stackweave.hotspot.model.FrameBuffer;

/**
 * Decides whether the callers of a function with a large frame, read some milliseconds after a
 * sample, may be taken for the sample's. In the meantime the function may have returned and been
 * called by another one, and nothing in the copy would tell. So they are believed only where the
 * word that leads to them, at its place in the thread's stack, has led to the same callers in
 * {@value #SIGHTINGS} samples, and never to others; if it has, in the last {@value #AFTER_CHANGE}.
 * Used by {@link SplicingUnwinder}; allocates nothing; for the drain thread only.
 */
final class LargeFrames {
  // A caller that stands behind a share f of the samples goes unseen in 64 of them with a
  // probability of (1 - f)^64: 4 % for a share of one in twenty. Until it is seen for the first
  // time, about one sample of it is taken for the other caller's, whatever f is.

  static final int SIGHTINGS = 64;
  static final int AFTER_CHANGE = 4096;

  /** Places that are kept: a power of two. A place whose entry another one took starts again. */
  static final int PLACES = 1 << 11;

  private final int[] tids = new int[PLACES];
  private final long[] addresses = new long[PLACES];
  private final long[] callers = new long[PLACES];
  private final int[] sightings = new int[PLACES];
  private final int[] wanted = new int[PLACES];
  private final long[] readNanos = new long[PLACES];

  /**
   * Records which callers a word has led to, and decides whether they may be believed. Samples that
   * were taken before the last one was read count as one with it.
   *
   * @param address of the word that leads to them
   * @param frames a stack that reaches the thread's first frame
   * @param first the innermost frame that the word leads to
   * @param timeNanos the sample's time
   * @param nowNanos when the word was read
   */
  boolean isKnown(
      int tid, long address, FrameBuffer frames, int first, long timeNanos, long nowNanos) {
    int place = (int) ((address ^ (long) tid << 32) * 0x9E37_79B9_7F4A_7C15L >>> 53);
    long seen = callers(frames, first);
    if (tids[place] != tid || addresses[place] != address) {
      tids[place] = tid;
      addresses[place] = address;
      callers[place] = seen;
      sightings[place] = 0;
      wanted[place] = SIGHTINGS;
      readNanos[place] = timeNanos - 1;
    }
    if (callers[place] != seen) {
      callers[place] = seen;
      sightings[place] = 0;
      wanted[place] = AFTER_CHANGE;
    }
    if (timeNanos > readNanos[place]) {
      sightings[place] = Math.min(sightings[place] + 1, AFTER_CHANGE + 1);
    }
    readNanos[place] = nowNanos;
    return sightings[place] > wanted[place];
  }

  /** Identifies a sequence of frames up to the thread's first. */
  private static long callers(FrameBuffer frames, int first) {
    long hash = frames.count() - first;
    for (int i = first; i < frames.count(); i++) {
      hash = (hash ^ Steadiness.key(frames, i)) * 0x9E37_79B9_7F4A_7C15L;
      hash ^= hash >>> 32;
    }
    return hash;
  }
}
