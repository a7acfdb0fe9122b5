package stackweave.agent.cli.common;

/** Waits for conditions by polling. Stateless. */
public final class Waiting {
  private Waiting() {}

  /** A condition that is waited for. */
  public interface Condition<E extends Exception> {
    boolean isMet() throws E;
  }

  /** Polls until the condition is met or the time is over; at least once. */
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
