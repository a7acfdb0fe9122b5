/**
 * Recordings: what is written into them and what is read out of them.
 *
 * <ul>
 *   <li>{@code event}: the events, which are the format.
 *   <li>{@code control}: whether a running recording asks for samples, and for which.
 *   <li>{@code store}: the way in; interns stacks and makes every chunk explain itself.
 *   <li>{@code read}: the way out; a file becomes stacks again.
 *   <li>{@code export}: stacks become collapsed text or a flame graph.
 * </ul>
 */
package stackweave.jfr;
