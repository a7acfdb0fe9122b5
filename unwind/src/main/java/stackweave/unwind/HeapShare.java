package stackweave.unwind;

/**
 * Scales limits of tables in the Java heap, which belongs to the application: the whole limit from
 * 1 GiB of heap on, half of it for each halving below, a sixteenth at 64 MiB. Stateless.
 *
 * @hidden no part of the API
 */
public final class HeapShare {
  private static final long FULL_BYTES = 1L << 30;
  private static final int MAX_HALVINGS = 4;

  private static final int HALVINGS = halvings(Runtime.getRuntime().maxMemory());

  private HeapShare() {}

  /** The limit scaled to this JVM's heap; a power of two stays one. */
  public static int of(int limit) {
    return limit >> HALVINGS;
  }

  /**
   * How often a limit is halved.
   *
   * @param maxBytes the largest size of the heap
   */
  static int halvings(long maxBytes) {
    int halvings = 0;
    // Some collectors leave a survivor space out of maxMemory().
    while (halvings < MAX_HALVINGS && maxBytes < FULL_BYTES / 8 * 7 >> halvings) {
      halvings++;
    }
    return halvings;
  }
}
