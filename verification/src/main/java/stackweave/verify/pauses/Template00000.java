package stackweave.verify.pauses;

/**
 * What the many classes are copies of, under other numbers: of a usual make, with a table of
 * virtual methods, one of an interface's, and constants that name methods of others.
 */
@SuppressWarnings("unused") // what matters is that it is there
final class Template00000 implements Comparable<Template00000>, Runnable {
  private final StringBuilder text = new StringBuilder();
  private int count;

  @Override
  public int compareTo(Template00000 other) {
    return Integer.compare(count, other.count);
  }

  @Override
  public void run() {
    count += text.append(name()).length();
  }

  @Override
  public String toString() {
    return count + " " + text;
  }

  private String name() {
    return String.valueOf(count).concat(text.substring(Math.min(1, text.length())));
  }
}
