/** The tables of one module: which of its sections gives the rules for a pc. */
package stackweave.unwind.table;
