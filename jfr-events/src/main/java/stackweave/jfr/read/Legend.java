package stackweave.jfr.read;

import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;

/** The labels of codes, from text such as {@code 0=native,1=kernel}. */
public final class Legend {
  private final Map<Integer, String> labels = new HashMap<>();
  private final String what;

  /**
   * Reads a legend; what is not understood is left out.
   *
   * @param what prefix of the label of a code that the legend lacks
   */
  public Legend(String what, String text) {
    this.what = what;
    for (String entry : text.split(",", -1)) {
      int equals = entry.indexOf('=');
      try {
        if (equals > 0) {
          labels.put(Integer.parseInt(entry.substring(0, equals)), entry.substring(equals + 1));
        }
      } catch (NumberFormatException e) {
        // Another event, or one of a later version: the code is shown as a number.
        continue;
      }
    }
  }

  /** The label of a code, or, if the legend lacks it, what {@code other} says. */
  String labelOr(int code, IntFunction<String> other) {
    String label = labels.get(code);
    return label != null ? label : other.apply(code);
  }

  /** The label of a code. */
  public String label(int code) {
    String label = labels.get(code);
    return label != null ? label : what + " " + code;
  }
}
