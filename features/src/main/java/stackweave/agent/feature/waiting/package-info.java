/**
 * Stacks of waiting threads, read from outside, without a signal and without waking anybody:
 * docs/waiting.md. The drain thread looks at threads between two batches of the engine's samples.
 * {@code BlockedSampler} reads a stack once for each time that a thread is blocked for long, which
 * the kernel's records of switches tell.
 */
package stackweave.agent.feature.waiting;
