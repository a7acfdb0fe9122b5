package stackweave.agent.engine;

/**
 * Where the C library keeps its descriptors of threads, {@code struct pthread}. Not thread-safe.
 */
interface DescriptorFinder extends AutoCloseable {

  /**
   * Finds an address within the descriptor of each thread, and leaves 0 for those that have none or
   * are not found.
   *
   * @param count how many of the thread ids are valid
   * @param ends of threads whose stack is known, its end; those need not be found
   */
  void find(int[] tids, int count, long[] ends, long[] descriptors);

  @Override
  void close();
}
