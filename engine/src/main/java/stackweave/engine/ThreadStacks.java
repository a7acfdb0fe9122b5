package stackweave.engine;

import java.util.List;

/**
 * A source of the bounds of threads' stacks, for engines that copy stacks themselves. For the drain
 * thread only.
 */
public interface ThreadStacks {
  /** Knows no stack. */
  ThreadStacks NONE = threads -> {};

  /**
   * Looks up the stacks of threads. An implementation must guarantee, since the signal handler
   * reads without checks: while the thread lives and its stack pointer is in the range, all memory
   * from there to the range's end is readable.
   *
   * @param threads each receives its bounds; one whose end is not 0 is known already, and one whose
   *     end remains 0 is unknown
   */
  void find(List<ThreadStack> threads);
}
