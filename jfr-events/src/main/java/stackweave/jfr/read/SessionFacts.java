package stackweave.jfr.read;

import java.time.Instant;

/**
 * A process that was sampled; texts are empty where the recording does not say.
 *
 * @param uuid unique to the process
 * @param pid its id
 * @param jvmStart when it began; the epoch where unknown
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
