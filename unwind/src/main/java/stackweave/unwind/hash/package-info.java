/**
 * The hash tables of all modules, without boxing: {@link stackweave.unwind.hash.HashIndex} for
 * numbers by hash, {@link stackweave.unwind.hash.LongIndex} on top of it for columns by a long, and
 * {@link stackweave.unwind.hash.LongTable} on top of that for objects by a long. They stand here
 * because all other modules may use this one; they are no part of the library's interface.
 */
package stackweave.unwind.hash;
