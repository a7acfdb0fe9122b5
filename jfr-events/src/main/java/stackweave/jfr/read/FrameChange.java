package stackweave.jfr.read;

import java.util.List;

/**
 * Changes the frames of a recording as they are read, such as by names that the recorded machine
 * did not have. Called once for each distinct frame, by one thread at a time.
 */
@FunctionalInterface
public interface FrameChange {
  /** Each frame is as it was recorded. */
  FrameChange NONE = (frame, isInnermost) -> List.of(frame);

  /** More frames in place of one are cut. */
  int MAX_FRAMES = 64;

  /**
   * What stands in place of a frame: itself, or a function and those that were inlined into it, the
   * outermost first. Equal methods must be the same object.
   *
   * @param isInnermost whether the frame is a stack's last: its offset is then of the instruction
   *     that ran, else of the one that runs on return
   */
  List<SampledFrame> of(SampledFrame frame, boolean isInnermost);
}
