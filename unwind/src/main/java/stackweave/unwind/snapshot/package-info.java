/**
 * A thread's registers and the copy of its stack, and how the older part of a deep stack is spliced
 * to a new one.
 *
 * <h2>When an older part fits</h2>
 *
 * <p>A copy covers {@code [sp, sp + length)}; the rest, {@code [sp + length, stack end)}, is read
 * milliseconds later, while the thread runs on. What makes it true nevertheless: the return address
 * and saved frame pointer of a frame are written when it is entered and not again until it has
 * returned. So if the outermost frame of the copy has not returned meanwhile, every frame link
 * above it is that of the sample. Nothing says directly whether it has returned; these are the
 * conditions that are checked, all of them:
 *
 * <ol>
 *   <li><b>The seam fits.</b> The seam is the upper end of the copy, from the 16th last word that
 *       the walk has read in it. Each of these words (return addresses, saved frame pointers, the
 *       interpreter's slots) must be the same in live memory: a thread that came back by another
 *       way, or with other frames, has written other words there. So must the words in between,
 *       locals and spilled values: a thread that came back by the same way with other arguments is
 *       told apart by them.
 *   <li><b>Nothing moved meanwhile.</b> The seam is compared again after each piece was read, and
 *       when the walk is over ({@link stackweave.unwind.snapshot.OlderStack#confirm}).
 *   <li><b>The thread is not known to be elsewhere</b> ({@link
 *       stackweave.unwind.snapshot.OlderStack.Whereabouts}), asked after each piece. Words below a
 *       thread's stack pointer are dead: they look like frames until something else is called.
 *   <li><b>It leads to the thread's first frame.</b> That is the caller's to check, and to {@link
 *       stackweave.unwind.snapshot.OlderStack#refuse} what does not: calls made after a return
 *       leave a torn chain.
 * </ol>
 *
 * <p>What this can't tell: a thread that within these milliseconds returned through the seam, came
 * back by calls that wrote the very same words at the seam, and was called from elsewhere further
 * out. Such a stack has true frames on both sides of the seam that did not belong together. Only a
 * look at several samples tells: the same seam under different callers. It is also why spliced
 * stacks have ends of their own ({@link stackweave.unwind.StopReason#SPLICED}).
 */
package stackweave.unwind.snapshot;
