package stackweave.lab.chaos.work;

/** Known results, and the comparison with them. Thread-safe. */
public final class Answers {

  private Answers() {}

  /** {@code lab_mix_many} of the lab's C code. */
  public static long mixed(long seed, int count) {
    long x = seed;
    for (int i = 0; i < count; i++) {
      x = x * 6364136223846793005L + 1442695040888963407L ^ x >>> 29;
    }
    return x;
  }

  /**
   * Compares a result.
   *
   * @throws IllegalStateException if it is not the expected one: the application was disturbed
   */
  public static void same(String what, long expected, long actual) {
    if (expected != actual) {
      throw new IllegalStateException(
          "%s came to %x instead of %x".formatted(what, actual, expected));
    }
  }
}
