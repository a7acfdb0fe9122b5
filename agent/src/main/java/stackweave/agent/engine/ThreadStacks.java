package stackweave.agent.engine;

/** Tells where the stacks of threads lie. Used on the drain thread only. */
public interface ThreadStacks {
  /** Nothing is known. */
  ThreadStacks NONE = (tids, count, starts, ends) -> {};

  /**
   * Looks for the stacks of threads.
   *
   * <p>The rule that the engine's safety rests on: as long as the thread lives and its stack
   * pointer is in the range told, all memory from there to the range's end can be read.
   *
   * @param tids ids as the OS has them
   * @param count how many of them are valid
   * @param starts where the lowest address of each stack is put
   * @param ends where the first address above each stack is put; what is not 0 is known already,
   *     and what remains 0 is not known
   */
  void find(int[] tids, int count, long[] starts, long[] ends);
}
