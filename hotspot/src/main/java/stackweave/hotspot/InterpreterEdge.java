package stackweave.hotspot;

import stackweave.unwind.UnreadableMemoryException;

/**
 * How interpreter frames are set up and taken down: the few instructions while they are neither.
 */
interface InterpreterEdge {

  /** Whether a method's entry, at the walk's pc, has not set its frame up completely. */
  boolean isEntering(Walk walk, PcEntry entry) throws UnreadableMemoryException;

  /** Makes the caller of such an entry the frame at hand; false if it can't be told. */
  boolean leaveEntering(Walk walk, PcEntry entry) throws UnreadableMemoryException;

  /** Whether the frame is gone already: what is left of the code goes back to the caller. */
  boolean isLeaving(PcEntry entry);

  /** Makes the caller of such code the frame at hand; false if it can't be told. */
  boolean leaveLeaving(Walk walk, PcEntry entry) throws UnreadableMemoryException;
}
