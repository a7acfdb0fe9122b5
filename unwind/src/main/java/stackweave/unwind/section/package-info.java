/**
 * Reading the bytes of a section: bounds, LEB128 numbers, sorted starts, and the error for bytes
 * that are wrong.
 *
 * <p>Units, errors and threads are as {@link stackweave.unwind} says.
 */
package stackweave.unwind.section;
