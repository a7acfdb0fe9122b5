/**
 * Stacks of waiting threads, read from outside, without a signal and without waking a thread:
 * docs/waiting.md. The drain thread looks at threads between two batches of the engine's samples.
 *
 * <p>{@code WallSampler} samples waiting threads; {@code BlockedSampler} writes an event for each
 * long block of a thread, which the kernel's records of context switches show. Both read a stack by
 * {@code BlockedStacks}, and ask {@code WaitReason} what the thread waits for.
 */
package stackweave.agent.feature.waiting;
