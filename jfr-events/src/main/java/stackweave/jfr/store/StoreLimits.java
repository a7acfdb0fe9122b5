package stackweave.jfr.store;

/**
 * The limits of a store. When one is reached a new generation begins with nothing interned; what is
 * needed again gets new ids and is written again. Immutable.
 *
 * @param nodes frames of the tree of stacks, about 45 bytes each
 * @param methods methods, symbols and stubs, about 200 bytes each with their names
 * @param modules native libraries, about 500 bytes each
 * @param threads threads, about 150 bytes each
 */
public record StoreLimits(int nodes, int methods, int modules, int threads) {
  /**
   * The default: at most about 12 MB with 1 GiB of heap or more; less with smaller heaps. Most
   * programs that have become warm have fewer nodes in all; where they have more, generations are
   * filled by the same stacks again and again, which makes recordings larger by a half.
   */
  public static final StoreLimits DEFAULT =
      scaled(98_304, 32_768, 4_096, 16_384, Runtime.getRuntime().maxMemory());

  private static final long FULL_BYTES = 1L << 30;
  private static final int MAX_DIVISOR = 16;

  private static StoreLimits scaled(
      int nodes, int methods, int modules, int threads, long maxHeapBytes) {
    int share = 1;
    while (share < MAX_DIVISOR && maxHeapBytes < FULL_BYTES / 8 * 7 / share) {
      share *= 2;
    }
    return new StoreLimits(nodes / share, methods / share, modules / share, threads / share);
  }

  public StoreLimits {
    if (nodes < 1 || methods < 1 || modules < 1 || threads < 1) {
      throw new IllegalArgumentException("limits must be at least 1");
    }
  }
}
