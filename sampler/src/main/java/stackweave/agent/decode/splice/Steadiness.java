package stackweave.agent.decode.splice;

import stackweave.hotspot.model.FrameBuffer;

/**
 * Decides whether the older part of a thread's stack, read some milliseconds after a sample, may be
 * taken for the sample's. A recursion entered from A and from B in turn looks the same where the
 * parts meet, but the older parts differ between samples. So a stack is accepted only if at most
 * one such change was seen within {@value #RISK} times the delay of reading, and at most one among
 * the thread's last {@value #STACKS} deep stacks; a thread's first stack counts as a change. The
 * risk of a wrong splice is about one in {@value #RISK} for each change. Used by {@link
 * SplicingUnwinder}; for the drain thread only.
 */
public final class Steadiness {
  // Slots by a hash of the thread id, each with up to 32 KiB at the default depth; a thread whose
  // slot another one took starts again.
  static final int THREADS = 64;
  static final int RISK = 64;
  static final int STACKS = 12;

  private static final long MIN_DELAY_NANOS = 1_000_000;
  private static final long LONG_AGO_NANOS = 1L << 50;

  /** The last older part of one thread's stack. */
  private static final class Last {
    int tid;

    /** Keys of the frames of the older part, outermost first. */
    long[] frames = new long[256];

    int count;
    long readNanos;
    long changedNanos;
    long changedBeforeNanos;

    /** The number of stacks so far, and its value at the last change and at the one before it. */
    long stacks;

    long changed;
    long changedBefore;
  }

  private final Last[] threads = new Last[THREADS];

  /**
   * Records a stack and decides whether it may be spliced. Stacks sampled before the last one was
   * read count as one with it, since a thread that did not run meanwhile shows the same older part
   * to all.
   *
   * @param olderFrames how many of the outermost frames are of the older part
   * @param timeNanos the sample's time
   * @param nowNanos when its older part was read
   * @return whether it may be spliced
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

  /** Whether the outermost frames that both stacks have differ. */
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

  /** Identifies what a frame runs and where; unchanged when the method is recompiled. */
  static long key(FrameBuffer frames, int i) {
    int method = frames.method(i);
    return method == FrameBuffer.NO_METHOD
        ? frames.pc(i)
        : (long) method << 32 | Integer.toUnsignedLong(frames.bci(i));
  }
}
