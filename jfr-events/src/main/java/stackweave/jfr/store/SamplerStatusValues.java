package stackweave.jfr.store;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How sampling went since the agent began: all counts only grow. The store writes differences.
 *
 * @param engine name of the engine; empty while none runs
 * @param engineReason why this one, and why not the others
 * @param intervalNanos CPU time between two samples, in nanoseconds
 * @param taken samples that the engine delivered
 * @param written samples that were committed
 * @param lost samples that the kernel or the engine reported lost
 * @param dropped samples delivered and not committed
 * @param undecodable samples delivered and not understood
 * @param thinned samples delivered and not decoded, for others stand for them
 * @param endCounts written samples by end code (index)
 * @param cpuUsedNanos CPU time used by all threads of the process but the agent's own, while
 *     samples were asked for
 * @param cpuCoveredNanos CPU time that the samples stand for
 * @param drainCpuNanos CPU time of the agent's own thread
 * @param frames frames of the stacks that were unwound
 * @param unwindNanos wall-clock time that unwinding them took
 * @param splices attempts to read the older part of a stack, by what became of them
 * @param links pairs of Java frames that were compared, and names in doubt, by what became of them
 * @param note what a reader should know; empty for nothing
 * @param cpuKernelNanos CPU time in kernel mode that the engine can't sample
 * @param resets how often what is remembered was forgotten for want of room, by what it was
 * @param foreign samples of other processes, which inherit events on some kernels; discarded
 * @param cpuMissedNanos the part of the CPU time used from when no samples were taken
 * @param gauges how sampling stands at the moment
 */
public record SamplerStatusValues(
    String engine,
    String engineReason,
    long intervalNanos,
    long taken,
    long written,
    long lost,
    long dropped,
    long undecodable,
    long thinned,
    long[] endCounts,
    long cpuUsedNanos,
    long cpuCoveredNanos,
    long drainCpuNanos,
    long frames,
    long unwindNanos,
    Map<String, Long> splices,
    Map<String, Long> links,
    String note,
    long cpuKernelNanos,
    Map<String, Long> resets,
    long foreign,
    long cpuMissedNanos,
    SamplerGauges gauges) {

  /** The same for the time since {@code earlier}; what is no count stays as it is now. */
  public SamplerStatusValues since(SamplerStatusValues earlier) {
    long[] ends = endCounts.clone();
    for (int i = 0; i < ends.length && i < earlier.endCounts.length; i++) {
      ends[i] -= earlier.endCounts[i];
    }
    return new SamplerStatusValues(
        engine,
        engineReason,
        intervalNanos,
        taken - earlier.taken,
        written - earlier.written,
        lost - earlier.lost,
        dropped - earlier.dropped,
        undecodable - earlier.undecodable,
        thinned - earlier.thinned,
        ends,
        Math.max(0, cpuUsedNanos - earlier.cpuUsedNanos),
        cpuCoveredNanos - earlier.cpuCoveredNanos,
        drainCpuNanos - earlier.drainCpuNanos,
        frames - earlier.frames,
        unwindNanos - earlier.unwindNanos,
        since(splices, earlier.splices),
        since(links, earlier.links),
        note,
        cpuKernelNanos - earlier.cpuKernelNanos,
        since(resets, earlier.resets),
        foreign - earlier.foreign,
        Math.max(0, cpuMissedNanos - earlier.cpuMissedNanos),
        gauges);
  }

  private static Map<String, Long> since(Map<String, Long> counts, Map<String, Long> earlier) {
    Map<String, Long> since = new LinkedHashMap<>();
    for (Map.Entry<String, Long> count : counts.entrySet()) {
      since.put(count.getKey(), count.getValue() - earlier.getOrDefault(count.getKey(), 0L));
    }
    return since;
  }
}
