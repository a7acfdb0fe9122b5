package stackweave.hotspot.frame;

import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;
import stackweave.hotspot.model.HotSpotMethod;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.hotspot.model.UnwindCounters;

/**
 * Checks neighbouring Java frames: the caller's bytecode must call the callee, by name and
 * descriptor. This finds frames that were decoded from code that was replaced since the sample, and
 * frames that are not neighbours. Called by the unwinder at the end of a stack; marks what is in
 * doubt as stale code or as a missing frame.
 *
 * <p>In a {@link FrameBuffer}, each frame has the link with its callee, the frame before it.
 */
public final class LinkCheck {
  /** Nothing is known: no Java frames, or a call of anything. */
  static final byte NONE = FrameBuffer.NO_LINK;

  /** Inlined at the same pc: the frame before it belongs to this one. */
  static final byte INLINED = 1;

  /** The bytecode calls the frame before it. */
  static final byte HELD = 2;

  /** The bytecode calls something else, or nothing. */
  static final byte BROKEN = 3;

  /** Added to one of the others where code and method were there at the sample's time. */
  static final byte PROVEN = 4;

  /** Added where other code can have been there at the sample's time. */
  static final byte DOUBTFUL = 8;

  /** Added to {@link #HELD} where the bytecode names the callee's class, too. */
  static final byte CLASS_NAMED = 16;

  private static final byte HOW = 3;

  private final int staleCode;
  private final int missingFrame;
  private final UnwindCounters counters;

  public LinkCheck(HotSpotMethods names, UnwindCounters counters) {
    staleCode = staleCode(names);
    missingFrame = names.intern(new HotSpotMethod("", "[missing frame]", "", 0, ""));
    this.counters = counters;
  }

  /** The id of the name that stands for code which is not there any more. */
  public static int staleCode(HotSpotMethods names) {
    return names.intern(new HotSpotMethod("", "[stale code]", "", 0, ""));
  }

  /** Where the first broken link from frame {@code from} on is, or the number of frames. */
  static int broken(FrameBuffer frames, int from) {
    int i = from;
    while (i < frames.count() && how(frames, i) != BROKEN) {
      i++;
    }
    return i;
  }

  /**
   * Replaces names that a broken link puts in doubt: a frame that is proven neither by its time nor
   * by its other neighbour is stale code; between two proven frames another must be missing.
   */
  public void mark(FrameBuffer frames) {
    for (int i = broken(frames, 0); i < frames.count(); i = broken(frames, i + 1)) {
      frames.setLink(i, (byte) (frames.link(i) & ~HOW));
      mark(frames, i);
    }
  }

  /**
   * Shows doubtful code only where its caller proves it: the caller is shown, and its bytecode
   * names the class. That names and descriptors fit proves nothing: classes may be made alike
   * (proxies, lambdas), and the code of one may take the place of another's that was freed right
   * after a sample, however recent that is.
   */
  public void markDoubtful(FrameBuffer frames) {
    for (int i = frames.count() - 1; i >= 0; i--) { // a caller before what it calls
      if ((frames.link(i) & DOUBTFUL) != 0) {
        int end = i + 1;
        while (end < frames.count() && how(frames, end) == INLINED) {
          end++;
        }
        if (!isClassNamed(frames, end)) {
          stale(frames, i, end);
        } else if (!isHeld(frames, i)) {
          showCompiled(frames, i, end - 1);
        }
      }
    }
  }

  /** Shows a method that its caller alone proves, without line and inlined methods. */
  private void showCompiled(FrameBuffer frames, int innermost, int outermost) {
    frames.forgetPlace(outermost);
    if (outermost > innermost) {
      stale(frames, innermost, outermost);
    }
  }

  private void mark(FrameBuffer frames, int caller) {
    int outermost = caller;
    while (outermost + 1 < frames.count() && how(frames, outermost + 1) == INLINED) {
      outermost++;
    }
    int innermost = caller - 1;
    while (innermost > 0 && how(frames, innermost) == INLINED) {
      innermost--;
    }
    boolean callerHeld = isProven(frames, caller) || isHeld(frames, outermost + 1);
    boolean calleeHeld = isProven(frames, innermost) || isHeld(frames, innermost);
    if (!callerHeld) {
      stale(frames, caller, outermost + 1);
    } else if (!isProven(frames, caller)) {
      showCompiled(frames, caller, outermost);
    }
    if (!calleeHeld) {
      stale(frames, innermost, caller);
    } else if (callerHeld && frames.insert(caller, FrameKind.UNKNOWN, missingFrame)) {
      counters.missingFrames++;
    }
  }

  private void stale(FrameBuffer frames, int from, int to) {
    frames.replace(from, to, FrameKind.UNKNOWN, staleCode);
    counters.staleFrames++;
  }

  private static boolean isHeld(FrameBuffer frames, int caller) {
    return caller < frames.count() && how(frames, caller) == HELD;
  }

  private static boolean isClassNamed(FrameBuffer frames, int caller) {
    return caller < frames.count() && (frames.link(caller) & CLASS_NAMED) != 0;
  }

  private static boolean isProven(FrameBuffer frames, int first) {
    return (frames.link(first) & PROVEN) != 0;
  }

  private static int how(FrameBuffer frames, int i) {
    return frames.link(i) & HOW;
  }
}
