/**
 * Reading the bytes of a section: bounds, LEB128 numbers, sorted starts, and the error for bytes
 * that are wrong.
 */
package stackweave.unwind.section;
