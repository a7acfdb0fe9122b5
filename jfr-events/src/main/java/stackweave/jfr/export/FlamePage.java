package stackweave.jfr.export;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
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

  /** Writes what stands in place of a mark. */
  interface Part {
    void writeTo(Appendable out) throws IOException;
  }

  private FlamePage() {}

  /**
   * Writes the page.
   *
   * @param title markup of its title
   * @param data writes its JSON
   */
  static void write(String title, Part data, Appendable out) throws IOException {
    List<String> marks = new ArrayList<>(List.of("@TITLE@", "@STYLE@", "@DATA@", "@SCRIPT@"));
    List<Part> parts =
        Arrays.asList(
            to -> to.append(title),
            to -> to.append(file("page.css")),
            data,
            FlamePage::writeScripts);
    String page = file("page.html");
    int at = 0;
    for (int i = 0; i < marks.size(); i++) {
      int mark = page.indexOf(marks.get(i), at);
      out.append(page, at, mark);
      parts.get(i).writeTo(out);
      at = mark + marks.get(i).length();
    }
    out.append(page, at, page.length());
  }

  private static void writeScripts(Appendable out) throws IOException {
    for (String script : SCRIPTS) {
      out.append(file(script));
    }
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
