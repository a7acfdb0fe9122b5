package stackweave.jfr.status;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.regex.Pattern;

/**
 * The counts by label of a {@code stackweave.SamplerStatus} event, each a text field: {@code
 * label=count}, separated by commas, without zeros. All are cumulative, as {@link
 * Counter.Adding#SUM}.
 */
public enum Breakdown {
  /** Written samples by the end of their stack. */
  ENDS,
  /** Stacks deeper than their copy by what became of the rest. */
  SPLICES,
  /** Pairs of Java frames that were compared, and what became of names in doubt. */
  LINKS,
  /** How often a cache reached its limit and was emptied. */
  RESETS,
  /** Frames that were found in code without unwind tables, by how. */
  FOUND;

  private static final Pattern COUNT = Pattern.compile("[0-9]{1,18}");

  /** The name of the event's field. */
  public String field() {
    return name().toLowerCase(Locale.ROOT);
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
