package stackweave.jfr.export.report;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import stackweave.jfr.export.Names;
import stackweave.jfr.export.ShortNames;
import stackweave.jfr.export.TextLines;

/** Writes sections for a terminal of 80 columns, or as an HTML page of its own. Stateless. */
final class SectionWriter {
  private static final int WIDTH = 80;
  private static final int NUMBER = 8;
  private static final int MIN_NAME = 20;
  private static final String STYLE =
      "body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;"
          + "color-scheme:light dark}table{border-collapse:collapse}td,th{padding:1px 12px 1px 0;"
          + "text-align:right;font-variant-numeric:tabular-nums;vertical-align:top}"
          + "td:last-child,th:last-child{text-align:left;overflow-wrap:anywhere}"
          + "td.in{padding-inline-start:2ch}"
          + "h2{font-size:17px;margin:1.4em 0 .3em}p{margin:.3em 0}code{overflow-wrap:anywhere}";

  private SectionWriter() {}

  /** Writes sections in one of the two forms. */
  static void write(String title, List<ReportSection> sections, boolean html, OutputStream out)
      throws IOException {
    Writer writer = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
    write(title, sections, html, writer);
    writer.flush();
  }

  static void write(String title, List<ReportSection> sections, boolean html, Appendable out)
      throws IOException {
    if (html) {
      html(title, sections, out);
    } else {
      text(title, sections, out);
    }
  }

  private static void text(String title, List<ReportSection> sections, Appendable out)
      throws IOException {
    TextLines lines = new TextLines(out, WIDTH);
    lines.line(ShortNames.cut(lines.bounded(title), WIDTH));
    for (ReportSection section : sections) {
      if (section.isEmpty()) {
        continue;
      }
      lines.line("");
      lines.line(
          section.isNamed
              ? ShortNames.cut(lines.bounded(section.title), WIDTH)
              : section.title.toUpperCase(Locale.ROOT));
      for (String sentence : section.sentences) {
        lines.wrap(lines.bounded(sentence), ReportSection.INDENT);
      }
      if (!section.rows.isEmpty()) {
        row(section.head, lines);
      }
      for (List<String> row : section.rows) {
        row(row, lines);
      }
      for (String command : section.commands) {
        lines.line(ReportSection.INDENT + Names.printable(command));
      }
    }
  }

  private static void row(List<String> cells, TextLines lines) throws IOException {
    StringBuilder line = new StringBuilder();
    for (String cell : cells.subList(0, cells.size() - 1)) {
      line.append(" ".repeat(Math.max(1, NUMBER - ShortNames.columns(cell)))).append(cell);
    }
    String name = lines.bounded(cells.get(cells.size() - 1));
    String indent = name.startsWith(ReportSection.INDENT) ? ReportSection.INDENT : "";
    int room = Math.max(MIN_NAME, WIDTH - line.length() - 2 - indent.length());
    lines.line(line + "  " + indent + ShortNames.fit(name.substring(indent.length()), room));
  }

  private static void html(String title, List<ReportSection> sections, Appendable out)
      throws IOException {
    out.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n")
        .append("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';")
        .append(" style-src 'unsafe-inline'\">\n<title>")
        .append(Names.html(title))
        .append("</title>\n<style>")
        .append(STYLE)
        .append("</style></head><body>\n<h1 dir=\"auto\">")
        .append(Names.html(title))
        .append("</h1>\n");
    for (ReportSection section : sections) {
      if (section.isEmpty()) {
        continue;
      }
      out.append("<section><h2>").append(Names.html(section.title)).append("</h2>\n");
      for (String sentence : section.sentences) {
        out.append("<p>").append(Names.html(sentence)).append("</p>\n");
      }
      if (!section.rows.isEmpty()) {
        out.append("<table><thead>");
        htmlRow(section.head, "th scope=\"col\"", "th", out);
        out.append("</thead><tbody>\n");
        for (List<String> row : section.rows) {
          htmlRow(row, "td", "td", out);
        }
        out.append("</tbody></table>\n");
      }
      for (String command : section.commands) {
        out.append("<p><code>").append(Names.html(command)).append("</code></p>\n");
      }
      out.append("</section>\n");
    }
    out.append("</body></html>\n");
  }

  private static void htmlRow(List<String> cells, String open, String close, Appendable out)
      throws IOException {
    out.append("<tr>");
    for (int i = 0; i < cells.size(); i++) {
      boolean isName = i == cells.size() - 1;
      boolean isIndented = isName && cells.get(i).startsWith(ReportSection.INDENT);
      out.append('<').append(open).append(isName ? " dir=\"auto\"" : "");
      out.append(isIndented ? " class=\"in\">" : ">");
      out.append(Names.html(cells.get(i).strip())).append("</").append(close).append('>');
    }
    out.append("</tr>\n");
  }
}
