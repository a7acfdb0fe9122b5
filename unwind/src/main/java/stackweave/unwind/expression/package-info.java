/**
 * DWARF expressions in unwind rules that are more than a register, a constant and a read of memory:
 * checked and interned when a function's rows are made, evaluated at each step that uses one.
 */
package stackweave.unwind.expression;
