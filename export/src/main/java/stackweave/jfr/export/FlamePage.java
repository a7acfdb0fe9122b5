package stackweave.jfr.export;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Joins the files that the flame graph's page is made of, for {@link FlameGraphExport}. */
final class FlamePage {
  /** The scripts in the order in which they run; they are one function. */
  private static final List<String> SCRIPTS =
      List.of(
          "data.js",
          "selection.js",
          "tree.js",
          "views.js",
          "statistics.js",
          "drawing.js",
          "zoom.js",
          "search.js",
          "tables.js",
          "tooltip.js",
          "strip.js",
          "state.js",
          "page.js");

  private static final String FOLDER = "flamegraph/";

  /** What the page has in place of the title, the style, the data and the scripts, in order. */
  private static final String MARK = "@(TITLE|STYLE|DATA|SCRIPT)@";

  /** Writes the data. */
  interface Data {
    void writeTo(Appendable out) throws IOException;
  }

  private FlamePage() {}

  /**
   * Writes the page.
   *
   * @param title markup of its title
   * @param data writes its JSON
   */
  static void write(String title, Data data, Appendable out) throws IOException {
    String[] page = file("page.html").split(MARK);
    out.append(page[0]).append(title);
    out.append(page[1]).append(file("page.css")).append(page[2]);
    data.writeTo(out);
    out.append(page[3]);
    for (String script : SCRIPTS) {
      out.append(file(script));
    }
    out.append(page[4]);
  }

  private static String file(String name) throws IOException {
    try (InputStream in = FlamePage.class.getResourceAsStream(FOLDER + name)) {
      if (in == null) {
        throw new IOException("the agent's jar lacks " + FOLDER + name + ": it is damaged");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
