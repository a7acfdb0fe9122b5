package stackweave.jfr.export.thread;

/** The common beginning of a thread's names: pools rename their threads. Not thread-safe. */
public final class CommonName {
  private static final String CUT = "...";

  private final String first;

  /** The common beginning of all names. */
  private String common;

  private boolean isSeveral;

  /** Begins with one name. */
  public CommonName(String name) {
    this.first = name;
    this.common = name;
  }

  /** Adds a name, which may be there already. */
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

  /** The name, or the common beginning and dots; the first name if there is no common beginning. */
  public String text() {
    if (!isSeveral) {
      return first;
    }
    String beginning = common.strip();
    return (beginning.isEmpty() ? first : beginning) + CUT;
  }
}
