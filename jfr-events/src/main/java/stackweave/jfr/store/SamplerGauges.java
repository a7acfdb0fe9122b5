package stackweave.jfr.store;

/**
 * How sampling stands at the moment: unlike the counts of {@link SamplerStatusValues}, these may
 * grow and shrink, and are written as they are.
 *
 * @param startDelayNanos from the moment that a recording asked for samples until samples were
 *     taken; 0 while none are
 * @param reachedIntervalNanos CPU time between two samples that the engine can reach; 0 while none
 *     runs
 * @param skippedThreads threads that are not sampled though the process has them
 * @param kernelBytes memory of the kernel that the engine is estimated to hold for threads, beside
 *     its rings
 * @param kernelBudgetBytes the most of it that the engine may hold; 0 where it holds none
 */
public record SamplerGauges(
    long startDelayNanos,
    long reachedIntervalNanos,
    int skippedThreads,
    long kernelBytes,
    long kernelBudgetBytes) {
  /** While nothing is sampled. */
  public static final SamplerGauges NONE = new SamplerGauges(0, 0, 0, 0, 0);
}
