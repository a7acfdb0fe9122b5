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

  /** Whether too much was missed for shares of the whole to be meaningful. */
  public boolean isMuchMissed() {
    return missedNanos * 100.0 > usedNanos * (double) MUCH_PERCENT;
  }

  /** Whether the samples cover clearly less than was used, for whatever reason. */
  public boolean isPoor() {
    return coveredNanos * 100.0 < usedNanos * (100.0 - MUCH_PERCENT);
  }

  /** When sampling began and what was missed, in one line; empty if nothing was. */
  public String start() {
    if (missedNanos <= 0) {
      return "";
    }
    return began()
        + "; "
        + seconds(missedNanos)
        + " of CPU time used while it did not run are missing ("
        + Decimals.fixed(100.0 * missedNanos / Math.max(missedNanos, usedNanos), 0)
        + " %)";
  }

  private String began() {
    if (startDelayNanos > 0) {
      return "sampling began " + seconds(startDelayNanos) + " after the recording";
    }
    return coveredNanos > 0 ? "sampling has stopped" : "sampling has not begun";
  }

  private static String seconds(long nanos) {
    return Decimals.fixed(nanos / 1e9, nanos < 1_000_000_000L ? 2 : 1) + " s";
  }
}
