package stackweave.lab.overhead.app;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much work there is for all threads together: so many units, or as many as there is time for.
 * Thread-safe.
 */
public final class Units {
  private final AtomicLong taken = new AtomicLong();
  private final long most;
  private final long endNanos;

  private Units(long most, long endNanos) {
    this.most = most;
    this.endNanos = endNanos;
  }

  /** Of {@code 400}, a number of units, or {@code 80s}, a time from now on. */
  public static Units of(String text) {
    return text.endsWith("s")
        ? new Units(
            Long.MAX_VALUE,
            System.nanoTime()
                + (long) (1e9 * Double.parseDouble(text.substring(0, text.length() - 1))))
        : new Units(Long.parseLong(text), 0);
  }

  /** Takes the next unit. False if none is left. */
  public boolean next() {
    if (most == Long.MAX_VALUE && System.nanoTime() - endNanos >= 0) {
      return false;
    }
    if (taken.get() >= most || taken.incrementAndGet() > most) {
      return false;
    }
    return true;
  }

  /** Those that were taken. */
  public long taken() {
    return Math.min(taken.get(), most);
  }
}
