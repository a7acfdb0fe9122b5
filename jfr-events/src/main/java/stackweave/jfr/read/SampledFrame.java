package stackweave.jfr.read;

import java.util.List;

/**
 * A frame of a stack. Immutable.
 *
 * @param method what runs here
 * @param kind label of the kind of code, from the recording's legend
 * @param line source line; 0 if unknown
 * @param offset bytecode index in Java code, distance from the function's start in native code
 * @param found how it was found from the frame that it called
 */
public record SampledFrame(
    SampledMethod method, String kind, int line, long offset, FoundWay found) {
  /** Kind of frames that stand for something missing, such as a lost definition. */
  public static final String MARKER = "marker";

  /** A frame that was found by unwind tables. */
  public SampledFrame(SampledMethod method, String kind, int line, long offset) {
    this(method, kind, line, offset, FoundWay.TABLES);
  }

  /** The frame's text in all exports; see {@link FrameText}. */
  public String text() {
    return FrameText.of(this).text();
  }

  /**
   * Changes the frames of a recording while it is read, for example to add names that the recorded
   * machine did not have. Called once for each distinct frame, by one thread at a time.
   */
  @FunctionalInterface
  public interface Change {
    /** Each frame is as it was recorded. */
    Change NONE = (frame, isInnermost) -> List.of(frame);

    /** The most frames in place of one; the rest is cut. */
    int MAX_FRAMES = 64;

    /**
     * Returns what replaces a frame: the frame itself, or a function and those inlined into it, the
     * outermost first. Equal methods must be the same object.
     *
     * @param isInnermost whether the frame is a stack's last: then its offset is that of the
     *     instruction that ran, else of the one at which it returns
     */
    List<SampledFrame> of(SampledFrame frame, boolean isInnermost);
  }
}
