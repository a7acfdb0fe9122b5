package stackweave.jfr.export;

import java.io.IOException;
import stackweave.unwind.text.ShortText;

/** Lines of text for a terminal of some columns. Not thread-safe. */
public final class TextLines {
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
   * Writes the words of a text in lines; words that are longer than a line are cut.
   *
   * @param indent at the beginning of all lines but the first
   */
  public void wrap(String text, String indent) throws IOException {
    String line = "";
    for (String word : text.split(" ")) {
      String fitting = ShortNames.cut(word, width - indent.length());
      if (!line.isEmpty() && ShortNames.columns(line + " " + fitting) > width) {
        line(line);
        line = indent + fitting;
      } else {
        line += line.isEmpty() ? fitting : " " + fitting;
      }
    }
    line(line);
  }

  /** A text from the recording, made printable and cut, because shortening takes quadratic time. */
  public String bounded(String text) {
    return Names.printable(ShortText.of(text, Math.max(MAX_NAME, width)));
  }
}
