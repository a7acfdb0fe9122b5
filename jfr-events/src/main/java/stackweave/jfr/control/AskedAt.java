package stackweave.jfr.control;

/**
 * A moment at which samples were asked for.
 *
 * @param nanos on the clock of {@link System#nanoTime}
 * @param cpuNanos CPU time that the process had used by then, up to 20 ms less; {@link
 *     ProcessCpu#UNKNOWN} where it can't be told
 */
public record AskedAt(long nanos, long cpuNanos) {

  /** This moment. Takes some 50 µs. */
  public static AskedAt now() {
    return new AskedAt(System.nanoTime(), ProcessCpu.nanos());
  }
}
