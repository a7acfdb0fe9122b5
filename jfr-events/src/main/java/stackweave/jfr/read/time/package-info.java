/**
 * When samples were taken, in cells of time whose number is bounded.
 *
 * <p>Units, errors and threads are as {@link stackweave.jfr.read} says.
 */
package stackweave.jfr.read.time;
