package stackweave.jfr.read;

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
}
