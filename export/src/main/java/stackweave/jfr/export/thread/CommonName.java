package stackweave.jfr.export.thread;

/**
 * What the names of a thread begin with: pools rename their threads for each request. Not
 * thread-safe.
 */
public final class CommonName {
  private static final String CUT = "...";

  private final String first;

  /** What all names begin with. */
  private String common;

  private boolean isSeveral;

  /** One name. */
  public CommonName(String name) {
    this.first = name;
    this.common = name;
  }

  /** Adds a name, or the same once more. */
  public void add(String name) {
    isSeveral |= !name.equals(first);
    while (!name.startsWith(common)) {
      common = common.substring(0, common.offsetByCodePoints(common.length(), -1));
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
    String beginning = common.strip();
    return (beginning.isEmpty() ? first : beginning) + CUT;
  }
}
