package stackweave.agent.engine;

/**
 * Tells of threads that were started lately, without the list of all; whoever tells unparks the
 * drain thread for it. Used on the drain thread only.
 */
public interface ThreadStarts {
  /** Nobody tells. */
  ThreadStarts NONE = visitor -> true;

  /** What is told of each thread. */
  interface Visitor {
    /**
     * A thread that was started; it may have ended.
     *
     * @param tid its id as the OS has it
     * @param stackStart the lowest address of its stack, by the rule of {@link ThreadStacks}
     * @param stackEnd the first address above it; 0 if the stack is not known
     */
    void started(int tid, long stackStart, long stackEnd);
  }

  /**
   * Tells of those that were started since the last call.
   *
   * @return false if some were started that were not told of
   */
  boolean take(Visitor visitor);
}
