package stackweave.jfr.export;

import stackweave.jfr.read.SampledFrame;

/**
 * The form of frames' names in text: {@link SampledFrame#text}, made shorter or longer.
 *
 * @param lines whether frames have {@code :line} behind their name where it is known
 * @param bci whether Java frames have {@code @index} of their bytecode behind them; if lines are
 *     asked for, too, only where the line is not known
 * @param simple whether Java classes are without their package
 */
public record FrameNames(boolean lines, boolean bci, boolean simple) {
  /** Just the text. */
  public static final FrameNames PLAIN = new FrameNames(false, false, false);

  String of(SampledFrame frame, String plain) {
    String className = frame.method().className();
    if (className.isEmpty()) {
      return lines && frame.line() > 0 ? withLine(plain, frame.line()) : plain;
    }
    String name =
        simple
            ? className.substring(className.lastIndexOf('.') + 1) + "." + frame.method().name()
            : plain;
    if (lines && frame.line() > 0) {
      return name + ":" + frame.line();
    }
    return bci ? name + "@" + frame.offset() : name;
  }

  /** Puts the line behind the symbol, before the library in brackets. */
  private static String withLine(String plain, int line) {
    int library = plain.lastIndexOf(" [");
    return library < 0
        ? plain + ":" + line
        : plain.substring(0, library) + ":" + line + plain.substring(library);
  }
}
