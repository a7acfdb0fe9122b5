/**
 * The step from a frame to its caller: finds the module of a pc, asks its table, applies the rule;
 * and what replaces a table (signal frames, code patterns).
 *
 * <p>Units, errors and threads are as {@link stackweave.unwind} says.
 */
package stackweave.unwind.walk;
