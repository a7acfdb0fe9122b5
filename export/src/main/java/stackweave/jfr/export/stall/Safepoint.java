package stackweave.jfr.export.stall;

/**
 * A safepoint, from when the JVM began to stop threads until all were stopped, and which of the
 * threads that still ran was sampled last. Times are ns since 1970.
 *
 * @param end when all threads were stopped
 * @param seen time of the last sample of a late thread
 * @param thread the thread that it shows running; empty if there is none
 * @param place what it ran
 */
public record Safepoint(long start, long end, long seen, String thread, String place) {
  /** A safepoint for which no sample shows a late thread. */
  Safepoint(long start, long end) {
    this(start, end, Long.MIN_VALUE, "", "");
  }

  /** How long it took until all threads were stopped, in ns. */
  public long nanos() {
    return end - start;
  }

  /** Whether a sample shows a late thread. */
  public boolean isExplained() {
    return !place.isEmpty();
  }
}
