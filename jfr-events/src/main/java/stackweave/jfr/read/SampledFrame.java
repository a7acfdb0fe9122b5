package stackweave.jfr.read;

/**
 * A frame of a stack.
 *
 * @param text {@code symbol [module]}, {@code pkg.Class.method} or {@code symbol [kernel]}
 * @param kind label of what sort of code it is, from the recording's legend
 * @param line source line, -1 where unknown
 */
public record SampledFrame(String text, String kind, int line) {
  /** Kind of frames that stand for something missing, such as a lost definition. */
  public static final String MARKER = "marker";
}
