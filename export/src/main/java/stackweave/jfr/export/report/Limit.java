package stackweave.jfr.export.report;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How much larger the total share of a function or library may become: {@code libfoo.so +5pp}, in
 * percentage points, or {@code libfoo.so +5%}, of the share before. Immutable.
 *
 * @param name the text of the function or library, as {@code top} shows it with {@code --wide}
 * @param increase 0.05 for 5
 * @param isRelative whether it is of the share before
 */
public record Limit(String name, double increase, boolean isRelative) {
  private static final Pattern FORM =
      Pattern.compile("(.*\\S)\\s+\\+(\\d{1,6}(?:\\.\\d{1,6})?)\\s*(pp|%)");

  /**
   * Parses one.
   *
   * @throws IllegalArgumentException if it has another form; one line for users
   */
  public static Limit parse(String text) {
    Matcher matcher = FORM.matcher(text.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is no limit such as 'libfoo.so +5pp' or 'libfoo.so +5%'");
    }
    double increase = Double.parseDouble(matcher.group(2)) / 100;
    return new Limit(matcher.group(1), increase, matcher.group(3).equals("%"));
  }

  /**
   * Whether the whole 95 % interval of the change is above the limit. Fewer than five samples, or
   * one sample that weighs as much as many, are no proof.
   */
  boolean isExceeded(double after, double nAfter, double before, double nBefore) {
    if (after * nAfter < Shares.FEW) {
      return false;
    }
    return isRelative
        ? Shares.ofRatio(after, nAfter, before, nBefore).low() > 1 + increase
        : Shares.ofDifference(after, nAfter, before, nBefore).low() > increase;
  }

  @Override
  public String toString() {
    String size = String.format(Locale.ROOT, "%.6f", 100 * increase).replaceFirst("\\.?0+$", "");
    return name + " +" + size + (isRelative ? "%" : "pp");
  }
}
