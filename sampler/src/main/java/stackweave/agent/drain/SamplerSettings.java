package stackweave.agent.drain;

import stackweave.linux.MemoryAccess;

/**
 * What the agent's options say of sampling, for as long as the agent lives; what recordings ask for
 * comes with each {@link stackweave.jfr.control.SamplingRequest}. Immutable.
 *
 * @param hooks whether classes of the JDK may be instrumented while sampling
 * @param recordFailures the directory for replay files of incomplete stacks, or empty
 * @param switchFile the file that switches sampling off, or empty: the default paths
 * @param memoryAccess how the process reads its own memory
 * @param withoutC2 whether C2 is kept away from the agent's classes
 * @param drainPercent how much of a core the drain thread may use, 1 to 100
 * @param perfMemoryBytes limit of the kernel's memory for inherited perf events
 */
public record SamplerSettings(
    boolean hooks,
    String recordFailures,
    String switchFile,
    MemoryAccess memoryAccess,
    boolean withoutC2,
    int drainPercent,
    long perfMemoryBytes) {}
