package stackweave.lab.overhead;

/** A program that ends at once, to measure the start of a JVM. */
public final class Hello {
  private Hello() {}

  public static void main(String[] arguments) {
    System.out.println("hello");
  }
}
