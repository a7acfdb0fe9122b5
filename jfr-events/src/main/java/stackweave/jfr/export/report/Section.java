package stackweave.jfr.export.report;

import java.util.ArrayList;
import java.util.List;

/**
 * A part of a report: sentences, then a table, of which either may be empty. The last column is
 * text, the others are numbers.
 */
final class Section {
  final String title;
  final List<String> sentences = new ArrayList<>();
  List<String> head = List.of();
  final List<List<String>> rows = new ArrayList<>();

  /** What to type, one line each. */
  final List<String> commands = new ArrayList<>();

  Section(String title) {
    this.title = title;
  }

  boolean isEmpty() {
    return sentences.isEmpty() && rows.isEmpty() && commands.isEmpty();
  }
}
