package stackweave.engine;

/** A thread and the bounds of its stack. For the drain thread only. */
public final class ThreadStack {
  private final int tid;
  private long start;
  private long end;
  private boolean small;

  /**
   * @param tid the thread's id in the OS
   * @param start the lowest address of its stack
   * @param end the first address above it; 0 if the stack is not known
   */
  public ThreadStack(int tid, long start, long end) {
    this.tid = tid;
    set(start, end);
  }

  /** The thread's id in the OS. */
  public int tid() {
    return tid;
  }

  /** The lowest address of its stack. */
  public long start() {
    return start;
  }

  /** The first address above its stack; 0 if the stack is not known. */
  public long end() {
    return end;
  }

  /** Sets the bounds. */
  public void set(long from, long to) {
    start = from;
    end = to;
  }

  /**
   * Whether the stack may have no room for a signal's frame, whether its bounds are known or not.
   */
  public boolean isSmall() {
    return small;
  }

  /** Sets whether the stack is small. */
  public void setSmall(boolean isSmall) {
    small = isSmall;
  }
}
