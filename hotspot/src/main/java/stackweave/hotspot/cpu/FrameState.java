package stackweave.hotspot.cpu;

import stackweave.unwind.UnreadableMemoryException;

/**
 * The frame at hand of a stack that is being unwound: its registers and the copied stack. Read, and
 * moved on to the caller, by what is specific to a processor. Implemented by the unwinder, one per
 * thread; must not be kept beyond a call.
 */
public interface FrameState {

  /** The stack pointer. */
  long sp();

  /** The frame pointer, or 0 where it is not known. */
  long fp();

  /** A register's value, or 0 where it is not known. Registers go by DWARF number. */
  long valueOf(int register);

  /** Whether {@code address} can belong to this frame or an outer one. */
  boolean isOnStack(long address);

  /**
   * A word of the stack that must be there.
   *
   * @throws UnreadableMemoryException if it was not copied
   */
  long read(long address) throws UnreadableMemoryException;

  /** A word of the stack that may be anything; 0 where there is none. */
  long peek(long address);

  /** As {@link #peek}, of a slot that may hold a return address. */
  long peekReturnAddress(long address);

  /**
   * The return address of code that has pushed nothing since it was called.
   *
   * @throws UnreadableMemoryException if it was not copied
   */
  long topReturnAddress() throws UnreadableMemoryException;

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

  /** Makes the caller the frame at hand; all registers but sp, fp and the thread's are lost. */
  void toCaller(long pc, long sp);

  /** As {@link #toCaller(long, long)}, with the caller's frame pointer. */
  void toCaller(long pc, long sp, long fp);
}
