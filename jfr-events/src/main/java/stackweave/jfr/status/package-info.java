/**
 * How sampling went, in figures: the same set of them is counted by the agent, written as {@link
 * stackweave.jfr.event.SamplerStatus} events, and summed up again by the reader.
 *
 * <p>A new figure is a line in {@link stackweave.jfr.status.Counter}. A test says which field
 * SamplerStatus then lacks, another which line docs/events.md lacks.
 */
package stackweave.jfr.status;
