package stackweave.jfr.status;

/**
 * How much of the CPU time during a request the samples cover, and what is missing as text.
 * Immutable.
 *
 * @param usedNanos CPU time used while samples were requested, in ns
 * @param coveredNanos CPU time that the samples stand for, in ns
 * @param missedNanos the part of it used while no samples were taken, in ns
 * @param startDelayNanos from the request until samples were taken, in ns; 0 while none are
 */
public record Coverage(long usedNanos, long coveredNanos, long missedNanos, long startDelayNanos) {
  private static final int MUCH_PERCENT = 5;

  /** Less is nothing: it would be said as 0.00 s or 0 %. */
  private static final long LEAST_NANOS = 5_000_000;

  private static final double LEAST_PERCENT = 0.5;

  /** Whether too much was missed for shares of the whole to be meaningful. */
  public boolean isMuchMissed() {
    return missedNanos * 100.0 > usedNanos * (double) MUCH_PERCENT;
  }

  /** Whether the samples cover clearly less than was used, for whatever reason. */
  public boolean isPoor() {
    return coveredNanos * 100.0 < usedNanos * (100.0 - MUCH_PERCENT);
  }

  /** When sampling began or that it has stopped, and what was missed, in one line; or empty. */
  public String missed() {
    double percent = 100.0 * missedNanos / Math.max(1, Math.max(missedNanos, usedNanos));
    if (missedNanos < LEAST_NANOS || percent < LEAST_PERCENT) {
      return "";
    }
    return when()
        + "; "
        + seconds(missedNanos)
        + " of CPU time used while it did not run are missing ("
        + Decimals.fixed(percent, 0)
        + " %)";
  }

  private String when() {
    if (isAtEnd()) {
      return "sampling has stopped";
    }
    return startDelayNanos > 0
        ? "sampling began " + seconds(startDelayNanos) + " after the recording"
        : "sampling has not begun";
  }

  /** Whether what was missed was so after samples were taken, and not before. */
  public boolean isAtEnd() {
    return startDelayNanos <= 0 && coveredNanos > 0;
  }

  private static String seconds(long nanos) {
    return Decimals.fixed(nanos / 1e9, nanos < 1_000_000_000L ? 2 : 1) + " s";
  }
}
