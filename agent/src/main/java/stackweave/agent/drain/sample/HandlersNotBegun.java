package stackweave.agent.drain.sample;

import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Samples taken at the first instruction of another signal's handler. A timer's signal that finds
 * the thread there was due at the same time as that one, whose frame the kernel had just made:
 * JFR's own sampler, for one, sends signals all the time. The CPU time was used by the code below.
 */
final class HandlersNotBegun {
  private HandlersNotBegun() {}

  /** Takes such a handler's frame, and the one it returns to, off the stack. */
  static void drop(StackSnapshot snapshot, FrameBuffer frames) {
    boolean inHandler =
        frames.count() > 2
            && frames.isInterrupted(0)
            && !frames.isInterrupted(1)
            && frames.isInterrupted(2) // so frame 1 is what a handler returns to
            && frames.kind(0) == FrameKind.NATIVE
            && frames.kind(1) == FrameKind.NATIVE;
    try {
      if (inHandler && snapshot.readLong(snapshot.registers().sp()) == frames.pc(1)) {
        frames.dropInnermost(2);
      }
    } catch (UnreadableMemoryException e) {
      return; // the copy begins at sp: there is none
    }
  }
}
