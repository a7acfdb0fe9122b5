package stackweave.hotspot.cpu;

import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.walk.NativeFrame;

/**
 * The frame at hand of a stack that is being unwound, HotSpot's or native: read, and moved on to
 * the caller, by what is specific to a processor. Implemented by the unwinder, one per thread; must
 * not be kept beyond a call.
 */
public interface FrameState extends NativeFrame {

  /** A word of the stack that may be anything; 0 where there is none. */
  long peek(long address);

  /**
   * The return address of a frame that is not complete.
   *
   * @throws UnreadableMemoryException if it was not copied
   */
  long returnAddressOf(PartialFrame frame) throws UnreadableMemoryException;

  /**
   * The caller's frame pointer at a frame that is not complete.
   *
   * @throws UnreadableMemoryException if it was not copied
   */
  long callerFpOf(PartialFrame frame) throws UnreadableMemoryException;

  /**
   * Makes the caller the frame at hand. Java code keeps no register over a call but sp, fp and the
   * thread's, so all others are lost.
   */
  void toCaller(long pc, long sp);

  /** As {@link #toCaller(long, long)}, with the caller's frame pointer. */
  void toCaller(long pc, long sp, long fp);
}
