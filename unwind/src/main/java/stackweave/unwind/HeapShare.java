package stackweave.unwind;

/**
 * Limits of tables on the heap, which is the application's: in full from 1 GiB of heap on, halved
 * for each halving below, down to a sixteenth at 64 MiB.
 */
public final class HeapShare {
  private static final long FULL_BYTES = 1L << 30;
  private static final int MAX_HALVINGS = 4;

  private static final int HALVINGS = halvings(Runtime.getRuntime().maxMemory());

  private HeapShare() {}

  /** What this JVM's heap allows of a limit; of a power of two another one. */
  public static int of(int limit) {
    return limit >> HALVINGS;
  }

  /**
   * How often a limit is halved.
   *
   * @param maxBytes the most that the heap may become
   */
  static int halvings(long maxBytes) {
    int halvings = 0;
    // Some collectors leave a survivor space out of what they say.
    while (halvings < MAX_HALVINGS && maxBytes < FULL_BYTES / 8 * 7 >> halvings) {
      halvings++;
    }
    return halvings;
  }
}
