package stackweave.hotspot;

/**
 * Interrupted native code that no unwind information describes: hand-written assembly such as
 * libjvm's copy loops, or a call of an address where nothing is. It has pushed nothing if the word
 * on top of the stack is a return address.
 */
final class NativeLeaf {
  private final HotSpotFrames hotspot;

  NativeLeaf(HotSpotFrames hotspot) {
    this.hotspot = hotspot;
  }

  /** Makes the caller the frame at hand; false if the top of the stack is no return address. */
  boolean toCaller(Walk walk) {
    if (hotspot == null) {
      return false;
    }
    long sp = walk.sp();
    long pc = walk.peek(sp);
    if (!hotspot.callers().isReturnAddress(walk, pc)) {
      return false;
    }
    walk.popTo(pc, sp + X86.WORD);
    return true;
  }
}
