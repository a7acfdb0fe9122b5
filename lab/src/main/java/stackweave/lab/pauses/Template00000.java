package stackweave.lab.pauses;

/**
 * The class whose copies are loaded under other numbers: typical in size, with virtual methods, an
 * interface, and constants that name methods of others.
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
