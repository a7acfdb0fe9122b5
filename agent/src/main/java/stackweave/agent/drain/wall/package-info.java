/**
 * Stacks of waiting threads, read from outside, without a signal and without waking anybody:
 * docs/wall.md. The drain thread looks at threads between two batches of the engine's samples.
 */
package stackweave.agent.drain.wall;
