/**
 * What sampled threads worked for, as recordings say it.
 *
 * <p>Units, errors and threads are as {@link stackweave.jfr.read} says.
 */
package stackweave.jfr.read.context;
