package stackweave.agent.engine;

import stackweave.jfr.control.EngineKind;

/**
 * What an engine did since it was started.
 *
 * <p>CPU time is stated three times, so that what sampling missed can be said: {@code cpuUsed} by
 * the process, {@code cpuCounted} by the kernel's events (which see every thread from its first
 * instruction, but no thread that the engine never attached), and {@code cpuCovered} by samples.
 * Counted minus covered is what threads shorter than the interval used, what user-only sampling
 * drops in the kernel, and what was lost; and per thread and CPU less than one interval that has
 * not come to its end.
 *
 * @param kind the engine
 * @param intervalNanos CPU time between two samples of a thread
 * @param threads threads attached at the start; later ones inherit
 * @param cpus CPUs, and so rings
 * @param fileDescriptors held by the engine
 * @param ringBytes data bytes per ring
 * @param stackBytes copied of each stack at most
 * @param samples delivered to the sink, or passed over because it did not want them
 * @param lost samples that found no room in their ring, as many as would have been delivered
 * @param foreign of perf: samples of other processes, which inherit events before Linux 5.13,
 *     discarded; of timers: signals that were not theirs
 * @param duplicates samples of threads attached twice, discarded
 * @param throttled times that the kernel throttled an event for taking too much time
 * @param late records that came after a later one had been delivered; delivered nevertheless
 * @param malformed rings given up to their end because a record made no sense
 * @param cpuUsedNanos by all threads of the process but the drain thread
 * @param cpuCountedNanos by the events of all threads
 * @param cpuCoveredNanos the weights of all these samples
 * @param surplus samples not delivered, of threads that are sampled more often than asked for so
 *     that short ones are met; those delivered stand for them
 * @param cpuKernelNanos CPU time in kernel mode that an engine of user mode can't sample; an
 *     estimate: what was counted less what samples, losses and left-over periods explain
 * @param skippedThreads threads of the process that are not sampled at the moment
 * @param kernelBytes memory of the kernel that is estimated to be held for threads, beside rings
 * @param kernelBudgetBytes the most of it that the engine may hold; 0 where it holds none
 */
public record EngineStatistics(
    EngineKind kind,
    long intervalNanos,
    int threads,
    int cpus,
    int fileDescriptors,
    int ringBytes,
    int stackBytes,
    long samples,
    long lost,
    long foreign,
    long duplicates,
    long throttled,
    long late,
    long malformed,
    long cpuUsedNanos,
    long cpuCountedNanos,
    long cpuCoveredNanos,
    long surplus,
    long cpuKernelNanos,
    int skippedThreads,
    long kernelBytes,
    long kernelBudgetBytes) {}
