package stackweave.jfr.status;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;
import java.util.regex.Pattern;

/**
 * The counts by label of a {@code stackweave.SamplerStatus} event, each a text field: {@code
 * label=count}, separated by commas, without zeros. All are cumulative, as {@link
 * Counter.Adding#SUM}.
 */
public enum Breakdown {
  ENDS(
      "ends",
      "Stack Ends",
      "Written samples by the end of their stack: label=count, separated by commas"),
  SPLICES(
      "splices",
      "Splices",
      "Stacks deeper than their copy by what became of the rest, which is read later:"
          + " outcome=count, separated by commas"),
  LINKS(
      "links",
      "Links",
      "Pairs of Java frames whose caller's bytecode was compared with the callee, and what became of"
          + " names in doubt: outcome=count, separated by commas"),
  RESETS(
      "resets",
      "Caches Emptied",
      "How often a cache reached its limit and was emptied: cache=count, separated by commas"),
  FOUND(
      "found",
      "Frames Found Otherwise",
      "Frames of written samples that were found in code without unwind tables, by how:"
          + " way=count, separated by commas");

  private static final Pattern COUNT = Pattern.compile("[0-9]{1,18}");

  private final String field;
  private final String label;
  private final String description;

  Breakdown(String field, String label, String description) {
    this.field = field;
    this.label = label;
    this.description = description;
  }

  /** The name of the event's field. */
  public String field() {
    return field;
  }

  /** The label of the event's field. */
  public String label() {
    return label;
  }

  /** The description of the event's field. */
  public String description() {
    return description;
  }

  /** Formats counts as the event's field. */
  static String text(Map<String, Long> counts) {
    StringJoiner text = new StringJoiner(",");
    for (Map.Entry<String, Long> count : counts.entrySet()) {
      if (count.getValue() != 0) {
        text.add(count.getKey() + "=" + count.getValue());
      }
    }
    return text.toString();
  }

  /** Parses an event's field; what is not understood is left out. */
  public static Map<String, Long> parse(String text) {
    Map<String, Long> counts = new LinkedHashMap<>();
    for (String entry : text.split(",", -1)) {
      int equals = entry.lastIndexOf('=');
      String count = entry.substring(equals + 1);
      if (equals > 0 && COUNT.matcher(count).matches()) {
        counts.merge(entry.substring(0, equals), Long.parseLong(count), Long::sum);
      }
    }
    return counts;
  }
}
