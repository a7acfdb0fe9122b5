/**
 * A thread's registers and the copy of its stack, and how the older part of a deep stack is spliced
 * to it ({@link stackweave.unwind.snapshot.OlderStack}).
 */
package stackweave.unwind.snapshot;
