package stackweave.unwind.walk;

import stackweave.unwind.MemoryReader;
import stackweave.unwind.Registers;
import stackweave.unwind.UnreadableMemoryException;

/**
 * The current frame, the frame at hand, of a stack that is being unwound. The walk over mixed
 * stacks implements it: it knows which words can be return addresses. Classes that find callers
 * without unwind tables move it on to the caller, and must not keep it beyond a call.
 */
public interface NativeFrame {

  /** An interrupted instruction or a return address. */
  long pc();

  /** The stack pointer. */
  long sp();

  /** The frame pointer, or 0 where it is not known. */
  long fp();

  /** Whether the frame pointer is known. */
  boolean isFpKnown();

  /** A register's value, or 0 where it is not known. Registers go by DWARF number. */
  long valueOf(int register);

  /** The registers; may be changed. */
  Registers registers();

  /** The copied stack. */
  MemoryReader stack();

  /** What was mapped at the sample's time. */
  CodeModules modules();

  /** Whether the frame was interrupted at its pc, rather than waiting for a call to return. */
  boolean interrupted();

  /** Says whether the frame was interrupted at its pc. */
  void setInterrupted(boolean interrupted);

  /** Whether {@code address} can belong to this frame or an outer one. */
  boolean isOnStack(long address);

  /**
   * A word of the stack that must be there.
   *
   * @throws UnreadableMemoryException if it was not copied
   */
  long read(long address) throws UnreadableMemoryException;

  /** The word of a slot that may hold a return address; 0 where there is none. */
  long peekReturnAddress(long address);

  /**
   * The return address of code that has pushed nothing since it was called.
   *
   * @throws UnreadableMemoryException if it was not copied
   */
  long topReturnAddress() throws UnreadableMemoryException;

  /** The sp of the caller of code that has pushed nothing since it was called. */
  long spBeforeCall();

  /** Whether a call can return to {@code pc}. */
  boolean isReturnAddress(long pc);

  /** Whether {@code pc} is a return address in code of the virtual machine. */
  boolean isManaged(long pc);

  /** Whether the frame may return to {@code pc}: a return address, or code in anonymous memory. */
  boolean isCaller(long pc);

  /** As {@link #isCaller}, for an address that ought to be a caller; notes if it is none. */
  boolean isExpectedCaller(long pc);

  /** Makes the caller the frame at hand; no other registers have changed. */
  void popTo(long pc, long sp);

  /**
   * Makes the caller the frame at hand by the frame pointer; all other registers are lost.
   *
   * @param pc the return address that is there
   * @throws UnreadableMemoryException if the caller's frame pointer was not copied
   */
  void leaveByFp(long pc) throws UnreadableMemoryException;

  /** Says how the frame at hand was found from its callee. */
  void setFound(Found how);
}
