/**
 * Weaves samples into recordings for other tools: {@code jdk.ExecutionSample} events with JFR's own
 * stack traces, in a chunk of their own behind each chunk of JFR. docs/architecture.md has the
 * rules. {@link stackweave.jfr.weave.LiveWeave} does it for a running JVM, {@link
 * stackweave.jfr.weave.RecordingMerge} for finished recordings, whose chunks go from {@code
 * ChunkScan} by {@code MergePlan} to {@code ChunkWeaver}.
 */
package stackweave.jfr.weave;
