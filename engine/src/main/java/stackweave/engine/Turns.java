package stackweave.engine;

import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;

/**
 * Lets threads work one after the other, in the order in which they ask, so that together they take
 * one core. Whoever works for longer than a second, such as in a file system that does not answer,
 * no longer keeps the others waiting. Thread-safe.
 */
public final class Turns {
  private static final long LONGEST_NANOS = 1_000_000_000L;

  /** How often a thread that waits looks whether it has to hurry. */
  private static final long LOOK_MILLIS = 20;

  private final ArrayDeque<Thread> waiting = new ArrayDeque<>();

  /** Null if nobody works. */
  private Thread worker;

  private long sinceNanos;

  /**
   * Waits until it is the calling thread's turn.
   *
   * @param isUrgent ends the wait: then it works beside others
   */
  public synchronized void begin(BooleanSupplier isUrgent) {
    Thread caller = Thread.currentThread();
    boolean isInterrupted = false;
    waiting.add(caller);
    while ((waiting.peek() != caller || leftNanos() > 0) && !isUrgent.getAsBoolean()) {
      try {
        wait(Math.min(LOOK_MILLIS, 1 + leftNanos() / 1_000_000));
      } catch (InterruptedException e) {
        isInterrupted = true;
      }
    }
    waiting.remove(caller);
    if (leftNanos() == 0) {
      worker = caller;
      sinceNanos = System.nanoTime();
    }
    notifyAll();
    if (isInterrupted) {
      caller.interrupt();
    }
  }

  /** How long the others still wait for the one who works, in ns. */
  private long leftNanos() {
    return worker == null ? 0 : Math.max(0, LONGEST_NANOS - (System.nanoTime() - sinceNanos));
  }

  /** Ends the calling thread's turn, if it still has it. */
  public synchronized void end() {
    if (worker == Thread.currentThread()) {
      worker = null;
      notifyAll();
    }
  }
}
