package stackweave.jfr.export.thread;

/**
 * What the names of a thread begin with: pools rename their threads for each request. Not
 * thread-safe.
 */
public final class CommonName {
  private static final String CUT = "...";

  private final String first;

  /** How many of its characters all others begin with. */
  private int common;

  private boolean isSeveral;

  /** One name. */
  public CommonName(String name) {
    this.first = name;
    this.common = name.length();
  }

  /** Adds a name, or the same once more. */
  public void add(String name) {
    if (name.equals(first)) {
      return;
    }
    isSeveral = true;
    int most = Math.min(common, name.length());
    common = 0;
    while (common < most && first.charAt(common) == name.charAt(common)) {
      common++;
    }
    if (common > 0 && Character.isHighSurrogate(first.charAt(common - 1))) {
      common--; // half a character
    }
  }

  /** Whether different names were added. */
  public boolean isSeveral() {
    return isSeveral;
  }

  /** The name, or what all begin with and dots; of names that have nothing in common the first. */
  public String text() {
    if (!isSeveral) {
      return first;
    }
    String beginning = first.substring(0, common).strip();
    return (beginning.isEmpty() ? first : beginning) + CUT;
  }
}
