package stackweave.engine;

/**
 * A source of recently started threads, without listing all; it unparks the drain thread for each.
 * For the drain thread only.
 */
public interface ThreadStarts {
  /** Reports nothing. Not a lambda: to link one takes a millisecond, and the first sample waits. */
  ThreadStarts NONE =
      new ThreadStarts() {
        @Override
        public boolean take(Visitor visitor) {
          return true;
        }
      };

  /** Receives the started threads. */
  interface Visitor {
    /**
     * A started thread; it may have ended.
     *
     * @param tid its id in the OS
     * @param stackStart lowest address of its stack, as guaranteed by {@link ThreadStacks}
     * @param stackEnd the first address above it; 0 if the stack is not known
     */
    void started(int tid, long stackStart, long stackEnd);
  }

  /**
   * Reports the threads started since the last call.
   *
   * @return false if some are missing
   */
  boolean take(Visitor visitor);
}
