package stackweave.jfr.export.report;

import java.util.ArrayList;
import java.util.List;
import stackweave.jfr.export.Texts;

/**
 * A part of a report: sentences, then a table, of which either may be empty. The last column is
 * text, the others are numbers.
 */
final class ReportSection {
  /** Prefix of a row's text: the row belongs to the nearest row above without it. */
  static final String INDENT = "  ";

  final String title;
  final List<String> sentences = new ArrayList<>();
  List<String> head = List.of();
  final List<List<String>> rows = new ArrayList<>();

  /** Commands to type, one line each. */
  final List<String> commands = new ArrayList<>();

  /** Whether the title is a name, which is not formatted. */
  final boolean isNamed;

  ReportSection(String title) {
    this(title, false);
  }

  /** One whose title may be the name of something. */
  ReportSection(String title, boolean isNamed) {
    this.title = title;
    this.isNamed = isNamed;
  }

  /** Adds a sentence. */
  void say(String sentence) {
    sentences.add(sentence);
  }

  /** Adds the sentence of a format, as {@link String#format} has it. */
  void say(String format, Object... values) {
    sentences.add(Texts.of(format, values));
  }

  /** The names of the columns. */
  void head(String... names) {
    head = List.of(names);
  }

  /** Adds a row. */
  void row(String... cells) {
    rows.add(List.of(cells));
  }

  boolean isEmpty() {
    return sentences.isEmpty() && rows.isEmpty() && commands.isEmpty();
  }
}
