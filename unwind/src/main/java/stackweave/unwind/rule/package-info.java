/**
 * What a table says about a pc, whatever its format: the rule (where the CFA, RA and the saved
 * registers are), rules kept once each, and rows kept per function.
 */
package stackweave.unwind.rule;
