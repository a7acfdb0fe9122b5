package stackweave.hotspot.cpu;

import stackweave.unwind.UnreadableMemoryException;

/**
 * How the template interpreter sets up and takes down its frames on one processor: the few
 * instructions at which a frame is not complete. Called for interrupted frames of the interpreter
 * only. {@code code} is the code around the interrupted pc, which is at {@link Cpu#CODE_WINDOW}.
 */
public interface InterpreterEdge {

  /** What the VM knows of its methods. */
  @FunctionalInterface
  interface Bytecodes {
    /** Whether {@code bcp} lies in the bytecodes of the Method* {@code method}. */
    boolean contains(long method, long bcp);
  }

  /**
   * Whether a method's entry has not set its frame up completely.
   *
   * @param codeletBegin first address of the entry's codelet
   * @param codeletEnd first address behind it
   * @throws UnreadableMemoryException if a word of the stack that must be there was not copied
   */
  boolean isEntering(FrameState frame, long codeletBegin, long codeletEnd)
      throws UnreadableMemoryException;

  /**
   * Makes the caller of such an entry the frame at hand; false if it can't be told.
   *
   * @throws UnreadableMemoryException if a word of the stack that must be there was not copied
   */
  boolean leaveEntering(FrameState frame, byte[] code) throws UnreadableMemoryException;

  /** Whether the frame is gone already: what is left of the code goes back to the caller. */
  boolean isLeaving(byte[] code);

  /**
   * Makes the caller of such code the frame at hand; false if it can't be told.
   *
   * @throws UnreadableMemoryException if a word of the stack that must be there was not copied
   */
  boolean leaveLeaving(FrameState frame, byte[] code) throws UnreadableMemoryException;
}
