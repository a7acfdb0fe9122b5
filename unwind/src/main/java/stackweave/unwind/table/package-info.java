/**
 * The tables of one module: which of its sections gives the rules for a pc.
 *
 * <p>Units, errors and threads are as {@link stackweave.unwind} says.
 */
package stackweave.unwind.table;
