package stackweave.jfr.export.stall;

/**
 * A safepoint, from when the JVM began to stop threads until all were stopped, and who of those
 * that ran meanwhile was seen last. Belongs to {@link Stalls}; not thread-safe.
 */
public final class Safepoint {
  private final long start;
  private final long end;
  private long seen = Long.MIN_VALUE;
  private String thread = "";
  private String place = "";

  /**
   * Times are ns since 1970.
   *
   * @param end when all threads were stopped
   */
  Safepoint(long start, long end) {
    this.start = start;
    this.end = end;
  }

  long start() {
    return start;
  }

  long end() {
    return end;
  }

  /** How long it took until all threads were stopped, in ns. */
  public long nanos() {
    return end - start;
  }

  /** A thread ran then, and had to come to a stop yet. */
  void ran(long nanos, String thread, String place) {
    if (nanos >= seen) {
      seen = nanos;
      this.thread = thread;
      this.place = place;
    }
  }

  /** Whether a sample shows who was late. */
  public boolean isExplained() {
    return seen != Long.MIN_VALUE;
  }

  /** The thread that samples show running last. */
  public String thread() {
    return thread;
  }

  /** What it ran. */
  public String place() {
    return place;
  }
}
