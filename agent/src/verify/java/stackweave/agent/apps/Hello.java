package stackweave.agent.apps;

/** Prints one line to each stream. */
public final class Hello {

  private Hello() {}

  public static void main(String[] arguments) {
    System.out.println("hello");
    System.err.println("hello on stderr");
  }
}
