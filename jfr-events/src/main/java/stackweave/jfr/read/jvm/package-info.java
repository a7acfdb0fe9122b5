/**
 * What JFR's own events say of a recorded JVM.
 *
 * <p>Units, errors and threads are as {@link stackweave.jfr.read} says.
 */
package stackweave.jfr.read.jvm;
