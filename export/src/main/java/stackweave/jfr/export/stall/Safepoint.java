package stackweave.jfr.export.stall;

/**
 * A safepoint, from when the JVM began to stop threads until all were stopped, and who of those
 * that ran meanwhile was seen last. Times are ns since 1970.
 *
 * @param end when all threads were stopped
 * @param seen time of the last sample that shows who was late
 * @param thread the thread that it shows running; empty if there is none
 * @param place what it ran
 */
public record Safepoint(long start, long end, long seen, String thread, String place) {
  /** One that no sample shows. */
  Safepoint(long start, long end) {
    this(start, end, Long.MIN_VALUE, "", "");
  }

  /** How long it took until all threads were stopped, in ns. */
  public long nanos() {
    return end - start;
  }

  /** Whether a sample shows who was late. */
  public boolean isExplained() {
    return !place.isEmpty();
  }
}
