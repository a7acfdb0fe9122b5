package stackweave.benchmarks.overhead;

/** The shortest life of a JVM. */
public final class Hello {
  private Hello() {}

  public static void main(String[] arguments) {
    System.out.println("hello");
  }
}
