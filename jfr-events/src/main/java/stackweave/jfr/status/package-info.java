/**
 * The figures of sampling: counted by the agent, written as {@link
 * stackweave.jfr.event.SamplerStatus} events, summed up by the reader. For a new figure add a line
 * in {@link stackweave.jfr.status.Counter}; tests name the field of SamplerStatus and the line of
 * docs/events.md that are then missing.
 *
 * <p>Units, errors and threads are as {@code stackweave.jfr.read} says.
 */
package stackweave.jfr.status;
