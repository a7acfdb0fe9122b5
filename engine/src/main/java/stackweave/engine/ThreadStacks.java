package stackweave.engine;

/**
 * A source of the bounds of threads' stacks, for engines that copy stacks themselves. For the drain
 * thread only.
 */
public interface ThreadStacks {
  /** Knows no stack. */
  ThreadStacks NONE = (tids, count, starts, ends) -> {};

  /**
   * Looks up the stacks of threads. An implementation must guarantee, since the signal handler
   * reads without checks: while the thread lives and its stack pointer is in the range, all memory
   * from there to the range's end is readable.
   *
   * @param tids thread ids of the OS
   * @param count how many of them are valid
   * @param starts receives the lowest address of each stack
   * @param ends receives the first address above each stack; an entry that is not 0 is known
   *     already, and one that remains 0 is unknown
   */
  void find(int[] tids, int count, long[] starts, long[] ends);
}
