/**
 * Stacks of waiting threads, read from outside, without a signal and without waking a thread:
 * docs/waiting.md. The drain thread looks at threads between two batches of the engine's samples.
 * {@code BlockedSampler} reads a stack once for each long block of a thread, which the kernel's
 * records of context switches show.
 */
package stackweave.agent.feature.waiting;
