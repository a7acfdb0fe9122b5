package stackweave.jfr.status;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * How much of the CPU time that a recording asked for its samples stand for, and in words what is
 * missing.
 *
 * @param usedNanos CPU time used while samples were asked for
 * @param coveredNanos CPU time that the samples stand for
 * @param missedNanos the part of the CPU time used from when no samples were taken
 * @param startDelayNanos from the request for samples until samples were taken; 0 while none are
 */
public record Coverage(long usedNanos, long coveredNanos, long missedNanos, long startDelayNanos) {
  private static final int MUCH_PERCENT = 5;

  /** Whether so much was missed that shares of the whole can't be told. */
  public boolean isMuchMissed() {
    return missedNanos * 100.0 > usedNanos * (double) MUCH_PERCENT;
  }

  /** Whether the samples stand for clearly less than was used, for whatever reason. */
  public boolean isPoor() {
    return coveredNanos * 100.0 < usedNanos * (100.0 - MUCH_PERCENT);
  }

  /**
   * When sampling began and what was missed, in one line; "" where nothing was: what is recorded
   * from later on has no beginning.
   */
  public String start() {
    if (missedNanos <= 0) {
      return "";
    }
    return (startDelayNanos == 0
            ? "sampling has not begun"
            : "sampling began " + seconds(startDelayNanos) + " after the recording")
        + "; "
        + seconds(missedNanos)
        + " of CPU time used while it did not run are missing ("
        + fixed(100.0 * missedNanos / Math.max(missedNanos, usedNanos), 0)
        + " %)";
  }

  private static String seconds(long nanos) {
    return fixed(nanos / 1e9, nanos < 1_000_000_000L ? 2 : 1) + " s";
  }

  /** As %.nf; also made while sampling goes on, and a Formatter takes the time of many samples. */
  private static String fixed(double value, int digits) {
    return BigDecimal.valueOf(value).setScale(digits, RoundingMode.HALF_UP).toPlainString();
  }
}
