package stackweave.engine.probe;

/** Decides which pages are followed, in the kernel's program and in the agent alike. Stateless. */
public final class PageHash {
  static final long FIRST = 0x9E3779B97F4A7C15L;
  static final long SECOND = 0xBF58476D1CE4E5B9L;
  static final int SHIFT = 29;

  private PageHash() {}

  /** A hash that depends on all bits of the page's number. */
  public static long mix(long page) {
    long hash = page * FIRST;
    hash ^= hash >>> SHIFT;
    hash *= SECOND;
    return hash ^ hash >>> 32;
  }

  /** Whether a page is followed, as one in 2<sup>shift</sup> is. */
  public static boolean isFollowed(long page, int shift) {
    return (mix(page) >>> 32 & (1L << shift) - 1) == 0;
  }
}
