package stackweave.agent.drain.deep;

import stackweave.hotspot.model.FrameBuffer;

/**
 * Whether a thread stays long enough below its callers for the older part of its stack, read some
 * milliseconds after the sample, to be the sample's.
 *
 * <p>A recursion that is entered from A and from B in turn looks the same at the seam. What shows
 * is that the older parts of its stacks differ from one sample to the next. The rule: a stack is
 * spliced if no more than one such change was seen within {@value #RISK} times as long as it took
 * to read its older part, nor among the thread's last {@value #STACKS} deep stacks; that a thread
 * is seen for the first time counts as a change. So threads that change slowly are believed, with a
 * risk of about one in {@value #RISK} at each change, and those that change about as fast as they
 * are read, or looked at, are not. Stacks that were sampled before the last one was read count once
 * with it: a thread that is not running meanwhile shows the same older part to all of them.
 *
 * <p>Kept for the {@value #THREADS} threads that were deep last, at most 32 KiB each at the default
 * depth; a thread that lost its place begins anew. For the drain thread only.
 */
public final class Steadiness {
  static final int THREADS = 64;
  static final int RISK = 64;
  static final int STACKS = 12;

  private static final long MIN_DELAY_NANOS = 1_000_000;
  private static final long LONG_AGO_NANOS = 1L << 50;

  /** The older part of the stack of one thread, as last read. */
  private static final class Last {
    int tid;

    /** Frames above the seam by what they run, outermost first. */
    long[] frames = new long[256];

    int count;
    long readNanos;
    long changedNanos;
    long changedBeforeNanos;

    /** Stacks so far, and how many there were at the last change and the one before it. */
    long stacks;

    long changed;
    long changedBefore;
  }

  private final Last[] threads = new Last[THREADS];

  /**
   * Takes note of a stack that would be spliced.
   *
   * @param olderFrames how many of the outermost frames lie above the seam
   * @param timeNanos the sample's time
   * @param nowNanos when its older part was read
   * @return whether it may be
   */
  public boolean isSteady(
      int tid, FrameBuffer frames, int olderFrames, long timeNanos, long nowNanos) {
    Last last = find(tid, timeNanos);
    if (timeNanos > last.readNanos) {
      last.stacks++;
    }
    last.readNanos = nowNanos;
    if (isChanged(last, frames, olderFrames)) {
      last.changedBeforeNanos = last.changedNanos;
      last.changedNanos = nowNanos;
      last.changedBefore = last.changed;
      last.changed = last.stacks;
    }
    keep(last, frames, olderFrames);
    long delay = Math.max(nowNanos - timeNanos, MIN_DELAY_NANOS);
    return nowNanos - last.changedBeforeNanos > RISK * delay
        && last.stacks - last.changedBefore > STACKS;
  }

  private Last find(int tid, long timeNanos) {
    int slot = (tid * 0x9E3779B9) >>> 26;
    Last last = threads[slot];
    if (last == null) {
      last = new Last();
      threads[slot] = last;
    }
    if (last.tid != tid) {
      last.tid = tid;
      last.count = 0;
      last.readNanos = timeNanos - 1;
      last.changedNanos = timeNanos;
      last.changedBeforeNanos = timeNanos - LONG_AGO_NANOS;
      last.changed = last.stacks;
      last.changedBefore = last.stacks - STACKS;
    }
    return last;
  }

  /** Whether the outer frames, as far as both have them, differ. */
  private static boolean isChanged(Last last, FrameBuffer frames, int olderFrames) {
    int common = Math.min(last.count, olderFrames);
    int outermost = frames.count() - 1;
    for (int i = 0; i < common; i++) {
      if (last.frames[i] != key(frames, outermost - i)) {
        return true;
      }
    }
    return false;
  }

  private static void keep(Last last, FrameBuffer frames, int olderFrames) {
    if (last.frames.length < olderFrames) {
      last.frames = new long[Math.max(olderFrames, 2 * last.frames.length)];
    }
    int outermost = frames.count() - 1;
    for (int i = 0; i < olderFrames; i++) {
      last.frames[i] = key(frames, outermost - i);
    }
    last.count = olderFrames;
  }

  /** What a frame runs and where: it stays the same when the method is compiled anew. */
  private static long key(FrameBuffer frames, int i) {
    int method = frames.method(i);
    return method == FrameBuffer.NO_METHOD
        ? frames.pc(i)
        : (long) method << 32 | Integer.toUnsignedLong(frames.bci(i));
  }
}
