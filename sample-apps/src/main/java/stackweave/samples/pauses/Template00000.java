package stackweave.samples.pauses;

/**
 * What the many classes are copies of, under other numbers: of a usual make, with a table of
 * virtual methods, one of an interface's, and constants that name methods of others.
 */
@SuppressWarnings("unused") // what matters is that it is there
final class Template00000 implements Comparable<Object>, Runnable {
  private final StringBuilder text = new StringBuilder();
  private int count;

  @Override
  public int compareTo(Object other) {
    return Integer.compare(count, other.hashCode());
  }

  @Override
  public void run() {
    count += text.append(name()).length();
  }

  @Override
  public int hashCode() {
    return Long.hashCode(count) ^ text.toString().hashCode();
  }

  @Override
  public boolean equals(Object other) {
    return other != null && other.hashCode() == hashCode();
  }

  private String name() {
    return String.valueOf(count).concat(text.substring(Math.min(1, text.length())));
  }
}
