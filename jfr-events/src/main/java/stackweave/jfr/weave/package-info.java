/**
 * Weaves samples into JFR's own stack traces: {@code jdk.ExecutionSample} events behind the events
 * of a chunk, which every tool that opens recordings shows. docs/architecture.md has the rules.
 * {@link stackweave.jfr.weave.RecordingMerge} is where it begins; a chunk goes from {@code
 * ChunkScan} by {@code MergePlan} to {@code ChunkWeaver}.
 */
package stackweave.jfr.weave;
