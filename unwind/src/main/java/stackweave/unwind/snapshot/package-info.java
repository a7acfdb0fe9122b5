/**
 * A thread's registers and the copy of its stack, and how the older part of a deep stack is spliced
 * to a new one.
 */
package stackweave.unwind.snapshot;
