package stackweave.jfr.read;

import java.time.Instant;

/**
 * A sampled process; texts are empty if unknown. Immutable.
 *
 * @param uuid unique to the process
 * @param pid its process id
 * @param jvmStart when it started; the epoch if unknown
 * @param schemaVersion version of the events
 * @param jdk name and version of its JVM
 * @param abi architecture and C library
 * @param agentVersion version of the agent
 */
public record SessionFacts(
    String uuid,
    long pid,
    Instant jvmStart,
    int schemaVersion,
    String jdk,
    String abi,
    String agentVersion) {}
