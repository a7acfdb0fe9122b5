package stackweave.agent.decode;

import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Removes the frame of a signal handler that has not run any instruction yet. A timer's signal is
 * often delivered together with another one (JFR's sampler sends many), whose handler's frame the
 * kernel has just made; the CPU time was used by the code below. Called by {@link SamplePipeline}.
 */
final class HandlersNotBegun {
  private HandlersNotBegun() {}

  /** Drops such a handler's frame and the signal return frame. */
  static void drop(StackSnapshot snapshot, FrameBuffer frames) {
    boolean inHandler =
        frames.count() > 2
            && frames.isInterrupted(0)
            && !frames.isInterrupted(1)
            && frames.isInterrupted(2) // so frame 1 is the signal return trampoline
            && frames.kind(0) == FrameKind.NATIVE
            && frames.kind(1) == FrameKind.NATIVE;
    try {
      if (inHandler && snapshot.readLong(snapshot.registers().sp()) == frames.pc(1)) {
        frames.dropInnermost(2);
      }
    } catch (UnreadableMemoryException e) {
      return; // no stack was copied
    }
  }
}
