package stackweave.engine.timer.threads;

/** Why a thread has no timer. */
public enum PassedOver {
  /**
   * It has just started, and was not checked yet or had the signal blocked: while a thread starts,
   * the C library has all signals blocked. All of its CPU time is to be accounted for.
   */
  STARTING,

  /** It was seen once with the signal blocked, which the C library does for moments. */
  BLOCKS_NOW,

  /** It blocks the signal. */
  BLOCKS,

  /** It was seen waiting for signals, and will probably do so again. */
  WAITS,

  /** The signal's frame may not fit on its stack. */
  SMALL_STACK;

  /** Whether it stays so as long as the thread lives. */
  public boolean isForLife() {
    return this == WAITS || this == SMALL_STACK;
  }
}
