package stackweave.jfr.read;

import java.util.Map;

/**
 * Sums over the {@code stackweave.SamplerStatus} events of a recording.
 *
 * @param engines engine and why, as last written; empty if there is no status
 * @param intervalNanos interval as last written, in nanoseconds; 0 if there is no status
 * @param taken samples delivered by the engine
 * @param written samples committed
 * @param lost samples reported lost by kernel or engine
 * @param dropped samples delivered and not committed
 * @param undecodable samples not understood
 * @param thinned samples not decoded to spare CPU time, for which others stand by their weight
 * @param ends written samples by the label of their end
 * @param cpuUsedNanos CPU time used by the process while samples were asked for
 * @param cpuCoveredNanos CPU time that the samples stand for
 * @param drainCpuNanos CPU time of the agent's thread
 * @param splices stacks deeper than their copy by what became of the rest
 * @param note as last written, empty for none
 * @param cpuKernelNanos CPU time in kernel mode that could not be sampled
 * @param startDelayNanos the longest time from a request for samples until samples were taken
 * @param cpuMissedNanos the part of the CPU time used from when no samples were taken
 * @param reachedIntervalNanos the interval that the engine can reach, as last written; 0 where it
 *     is the one asked for
 */
public record SamplerTotals(
    String engine,
    String engineReason,
    long intervalNanos,
    long taken,
    long written,
    long lost,
    long dropped,
    long undecodable,
    long thinned,
    Map<String, Long> ends,
    long cpuUsedNanos,
    long cpuCoveredNanos,
    long drainCpuNanos,
    Map<String, Long> splices,
    String note,
    long cpuKernelNanos,
    long startDelayNanos,
    long cpuMissedNanos,
    long reachedIntervalNanos) {

  public SamplerTotals {
    ends = Map.copyOf(ends);
    splices = Map.copyOf(splices);
  }

  /** How much of the CPU time the samples stand for. */
  public Coverage coverage() {
    return new Coverage(cpuUsedNanos, cpuCoveredNanos, cpuMissedNanos, startDelayNanos);
  }
}
