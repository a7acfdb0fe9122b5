package stackweave.agent.cli.common;

/** How commands wait for what happens elsewhere: by looking again and again. Stateless. */
public final class Waiting {
  private Waiting() {}

  /** What is waited for. */
  public interface Condition<E extends Exception> {
    boolean isMet() throws E;
  }

  /**
   * Looks until the condition is met or the time is over; once at least.
   *
   * @param pauseMillis between two looks
   * @return whether it is met
   * @throws E if a look fails
   */
  public static <E extends Exception> boolean until(
      Condition<E> condition, long nanos, long pauseMillis) throws E {
    long start = System.nanoTime();
    while (!condition.isMet()) {
      if (System.nanoTime() - start >= nanos) {
        return false;
      }
      pause(pauseMillis);
    }
    return true;
  }

  /** Waits a moment; not at all once the calling thread was interrupted. */
  public static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
