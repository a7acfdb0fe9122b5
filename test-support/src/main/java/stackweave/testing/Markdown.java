package stackweave.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Markdown as our measurements write it into pages of docs, from top to end. Not thread-safe. */
public final class Markdown {
  /** What the name of a column of figures begins with. */
  private static final String FIGURES = ">";

  private final StringBuilder text = new StringBuilder();

  /** A heading of the third level. */
  public void title(String title) {
    text.append("\n### ").append(title).append('\n');
  }

  /** A paragraph of one line. */
  public void line(String line) {
    text.append('\n').append(line).append('\n');
  }

  /** A list. */
  public void items(List<String> items) {
    text.append('\n');
    items.forEach(item -> text.append("- ").append(item).append('\n'));
  }

  /** A table of names and values without a head. */
  public void facts(Map<String, String> facts) {
    table("", "");
    facts.forEach(this::row);
  }

  /**
   * Begins a table.
   *
   * @param columns their names; one that begins with {@code >} is of figures, which stand right
   */
  public void table(String... columns) {
    List<String> names = new ArrayList<>();
    StringBuilder rule = new StringBuilder("|");
    for (String column : columns) {
      boolean figures = column.startsWith(FIGURES);
      names.add(figures ? column.substring(FIGURES.length()) : column);
      rule.append(figures ? "--:|" : "---|");
    }
    text.append('\n');
    row(names.toArray(String[]::new));
    text.append(rule).append('\n');
  }

  /** A row of the table that was begun last; cells that are not named are empty. */
  public void row(String... cells) {
    text.append('|');
    for (String cell : cells) {
      text.append(cell.isEmpty() ? " |" : " " + cell + " |");
    }
    text.append('\n');
  }

  /** All of another page. */
  public void add(Markdown other) {
    text.append(other.text);
  }

  /**
   * Writes this into a page, which people write but for what stands behind a marker.
   *
   * @param file the page, made if it is not there
   * @param begin the marker, a line of its own
   * @param end the line before which what was written ends; null for the page's end
   */
  public void writeInto(Path file, String begin, String end) throws IOException {
    String page = Files.exists(file) ? Files.readString(file) : "";
    int from = page.indexOf(begin);
    int to = end == null || from < 0 ? -1 : page.indexOf(end, from);
    String above = from < 0 ? page + (page.isEmpty() ? "" : "\n") : page.substring(0, from);
    String below =
        end == null ? "" : "\n" + end + (to < 0 ? "\n" : page.substring(to + end.length()));
    Files.writeString(file, above + begin + "\n" + text + below);
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
