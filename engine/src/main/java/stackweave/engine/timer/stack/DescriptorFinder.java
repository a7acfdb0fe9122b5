package stackweave.engine.timer.stack;

/**
 * Finds the C library's thread descriptors, {@code struct pthread}. Used by {@link
 * ThreadDescriptors}; not thread-safe.
 */
interface DescriptorFinder extends AutoCloseable {

  /**
   * Finds an address within the descriptor of each thread, and leaves 0 for those that have none or
   * are not found.
   *
   * @param count how many of the thread ids are valid
   * @param addresses filled in, all at the same distance from the beginning of a descriptor
   */
  void find(int[] tids, int count, long[] addresses);

  /** From such an address to the thread's id in the descriptor, in bytes. */
  int tidOffset();

  /** What the descriptor's words on the stack say. */
  StackWords stackWords();

  @Override
  void close();
}
