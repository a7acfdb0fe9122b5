package stackweave.jfr.export.flamegraph;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Joins the files that make up the flame graph's page, for {@link FlameGraphExport}. */
final class FlamePage {
  private static final String FOLDER = "";

  /**
   * Marks in page.html for the title, the data, and other files by their names. Scripts are in the
   * order in which they run, and form one function.
   */
  private static final Pattern MARK = Pattern.compile("@([a-z.]+)@");

  /** Writes the page's data. */
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
    String page = file("page.html");
    int at = 0;
    for (Matcher mark = MARK.matcher(page); mark.find(); at = mark.end()) {
      out.append(page, at, mark.start());
      switch (mark.group(1)) {
        case "title" -> out.append(title);
        case "data" -> data.writeTo(out);
        default -> out.append(file(mark.group(1)));
      }
    }
    out.append(page, at, page.length());
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
