package stackweave.jfr.control;

import stackweave.jfr.process.SampledProcess;

/**
 * A moment at which samples were requested.
 *
 * @param nanos on the clock of {@link System#nanoTime}
 * @param cpuNanos CPU time that the process had used by then, up to 20 ms less; {@link
 *     SampledProcess#UNKNOWN} if not readable
 */
public record AskedAt(long nanos, long cpuNanos) {

  /** The present moment. Takes some 50 µs. */
  public static AskedAt now() {
    return new AskedAt(System.nanoTime(), SampledProcess.OWN.cpuNanos());
  }
}
