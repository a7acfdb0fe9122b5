/** Writes recordings: interned stacks, and chunks that each hold their own definitions. */
package stackweave.jfr.store;
