/**
 * Which samples of a recording are read: those of CPU time, of waiting, of some states.
 *
 * <p>Units, errors and threads are as {@link stackweave.jfr.read} says.
 */
package stackweave.jfr.read.choice;
