package stackweave.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Markdown as our measurements write it, from top to end. Not thread-safe. */
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

  @Override
  public String toString() {
    return text.toString();
  }
}
