package stackweave.jfr.event;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The text of {@link Context#labels}, and back. Stateless. */
public final class LabelText {
  private LabelText() {}

  /** The labels in the map's order. */
  public static String of(SortedMap<String, String> labels) {
    StringBuilder text = new StringBuilder();
    for (Map.Entry<String, String> label : labels.entrySet()) {
      if (text.length() > 0) {
        text.append(';');
      }
      escape(label.getKey(), text);
      text.append('=');
      escape(label.getValue(), text);
    }
    return text.toString();
  }

  private static void escape(String part, StringBuilder to) {
    for (int i = 0; i < part.length(); i++) {
      char c = part.charAt(i);
      if (c == '\\' || c == '=' || c == ';') {
        to.append('\\');
      }
      to.append(c);
    }
  }

  /** The labels of a text; any text has some meaning. */
  public static SortedMap<String, String> parse(String text) {
    SortedMap<String, String> labels = new TreeMap<>();
    StringBuilder part = new StringBuilder();
    String key = null;
    for (int i = 0; i <= text.length(); i++) {
      char c = i == text.length() ? ';' : text.charAt(i);
      if (c == '\\' && i + 1 < text.length()) {
        part.append(text.charAt(++i));
      } else if (c == '=' && key == null) {
        key = part.toString();
        part.setLength(0);
      } else if (c == ';') {
        if (key != null || part.length() > 0) {
          labels.put(key == null ? part.toString() : key, key == null ? "" : part.toString());
        }
        key = null;
        part.setLength(0);
      } else {
        part.append(c);
      }
    }
    return labels;
  }
}
