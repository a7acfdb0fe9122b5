package stackweave.engine;

import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;

/**
 * Lets threads work one after the other, in the order in which they ask, so that together they take
 * one core. Whoever works for longer than 50 ms, such as in a file system that does not answer, no
 * longer keeps the others waiting. For ten seconds after that nobody keeps them waiting for longer
 * than 10 ms, so that many who do so in turn don't add up to many seconds. Thread-safe.
 */
public final class Turns {
  private static final long LONGEST_NANOS = 50_000_000L;
  private static final long LONGEST_SOON_AFTER_NANOS = 10_000_000L;
  private static final long SOON_NANOS = 10_000_000_000L;

  /** How often a thread that waits looks whether it has to hurry. */
  private static final long LOOK_MILLIS = 20;

  private final long longestNanos;
  private final long longestSoonAfterNanos;
  private final ArrayDeque<Thread> waiting = new ArrayDeque<>();

  /** Null if nobody works. */
  private Thread worker;

  private long sinceNanos;

  /** When somebody was last found to work for too long. */
  private long overrunNanos = System.nanoTime() - SOON_NANOS;

  /** Of nobody yet. */
  public Turns() {
    this(LONGEST_NANOS, LONGEST_SOON_AFTER_NANOS);
  }

  Turns(long longestNanos, long longestSoonAfterNanos) {
    this.longestNanos = longestNanos;
    this.longestSoonAfterNanos = longestSoonAfterNanos;
  }

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
      if (worker != null && System.nanoTime() - sinceNanos >= longestNanos) {
        overrunNanos = System.nanoTime();
      }
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
    long now = System.nanoTime();
    long longest = now - overrunNanos < SOON_NANOS ? longestSoonAfterNanos : longestNanos;
    return worker == null ? 0 : Math.max(0, longest - (now - sinceNanos));
  }

  /** Ends the calling thread's turn, if it still has it. */
  public synchronized void end() {
    if (worker == Thread.currentThread()) {
      worker = null;
      notifyAll();
    }
  }
}
