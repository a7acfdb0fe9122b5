package stackweave.jfr.export;

import java.io.IOException;
import java.util.List;
import stackweave.unwind.text.ShortText;

/** Lines of text for a terminal of some columns. Not thread-safe. */
public final class TextLines {
  private static final String INDENT = "  ";
  private static final int MAX_NAME = 4_096;

  private final Appendable out;
  private final int width;

  /** Lines of at most {@code width} columns. */
  public TextLines(Appendable out, int width) {
    this.out = out;
    this.width = width;
  }

  /** Writes a line as it is. */
  public void line(String text) throws IOException {
    out.append(text.stripTrailing()).append('\n');
  }

  /**
   * Writes parts in lines, breaking between parts. One that is longer than a line begins a line and
   * is broken between its words; longer words are cut.
   *
   * @param between what is between two parts on a line
   * @param indent at the beginning of all lines but the first
   */
  public void wrap(List<String> parts, String between, String indent) throws IOException {
    StringBuilder line = new StringBuilder();
    boolean isFirst = true; // of its line
    for (String part : parts) {
      boolean isLong = ShortNames.columns(part) > width - indent.length();
      int most = width - (isLong ? INDENT : indent).length();
      String gap = between;
      String indentOfNext = indent;
      boolean isFull = isLong;
      for (String piece : isLong ? part.split(" +") : new String[] {part}) {
        String fitting = ShortNames.cut(piece, most);
        if (!isFirst && (isFull || ShortNames.columns(line + gap + fitting) > width)) {
          line(line.toString());
          line.setLength(0);
          line.append(indentOfNext);
          isFirst = true;
        }
        line.append(isFirst ? "" : gap).append(fitting);
        isFirst = false;
        isFull = false;
        gap = " ";
        indentOfNext = INDENT;
      }
    }
    line(line.toString());
  }

  /**
   * A text that the recording controls, printable, and of a bounded length: shortening takes
   * quadratic time.
   */
  public String bounded(String text) {
    return Names.printable(ShortText.of(text, Math.max(MAX_NAME, width)));
  }
}
