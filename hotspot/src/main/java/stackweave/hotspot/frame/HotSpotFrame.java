package stackweave.hotspot.frame;

import stackweave.hotspot.pc.PcEntry;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * One kind of frame in the code cache: how it is shown, and how it is left for its caller. Called
 * by the unwinder's step for the frame at hand; may keep nothing of the walk between calls.
 */
public interface HotSpotFrame {

  /**
   * Appends the frame at hand to the walk's frames and makes its caller the frame at hand.
   *
   * @param entry what is known of the walk's pc
   * @return null, or why the walk ends here
   * @throws UnreadableMemoryException if a word that must be there is not
   */
  StopReason step(Walk walk, PcEntry entry) throws UnreadableMemoryException;
}
