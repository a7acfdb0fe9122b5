package stackweave.jfr.read;

/**
 * A frame of a stack, with what its recording says of it.
 *
 * @param method what runs here
 * @param kind label of what sort of code it is, from the recording's legend
 * @param line source line; 0 where unknown
 * @param offset bytecode index in Java code, distance from the function's start in native code
 */
public record SampledFrame(SampledMethod method, String kind, int line, long offset) {
  /** Kind of frames that stand for something missing, such as a lost definition. */
  public static final String MARKER = "marker";

  /** The frame as all exports name it; see {@link FrameText}. */
  public String text() {
    return FrameText.of(this).text();
  }
}
