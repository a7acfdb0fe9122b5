/**
 * What a table says about a pc, whatever its format: the rule (where the CFA, RA and the saved
 * registers are), rules kept once each, and rows kept per function.
 *
 * <p>Units, errors and threads are as {@link stackweave.unwind} says.
 */
package stackweave.unwind.rule;
