package stackweave.unwind.walk;

import stackweave.unwind.Registers;

/** Receives the frames of a stack from {@link NativeUnwinder#walk}, the innermost first. */
@FunctionalInterface
public interface FrameVisitor {
  /**
   * One frame.
   *
   * @param registers of the frame, of which at least pc and sp are known; valid during the call
   * @param interrupted whether pc is the next instruction of an interrupted frame, to be looked up
   *     as it is, rather than a return address, which belongs to the byte before it
   */
  void visit(Registers registers, boolean interrupted);
}
