package stackweave.agent.drain;

import java.util.concurrent.locks.LockSupport;

/**
 * Lets nothing begin that sampling needs, not even events be registered with JFR, before the heap
 * has room for it. On a small heap the application begins first, for what it keeps in use for good
 * is not there before. Once open it stays open: what was loaded stays, too. For one thread, but for
 * {@link #close}.
 */
public final class HeapGate implements Runnable, AutoCloseable {
  /** How long the application is let begin on a small heap. */
  private static final long SETTLE_NANOS = 2_000_000_000L;

  private static final long LOOK_NANOS = 50_000_000L;

  private final Messages messages;
  private boolean open;
  private volatile boolean closed;

  /** Says on stderr why it stays closed. */
  public HeapGate(Messages messages) {
    this.messages = messages;
  }

  /** Returns when there is room, or nobody waits for it any more. */
  @Override
  public void run() {
    if (open) {
      return;
    }
    HeapSlack slack = new HeapSlack();
    long begin = System.nanoTime();
    boolean said = false;
    while (!closed) {
      slack.look();
      boolean settled = !slack.needsSettling() || System.nanoTime() - begin > SETTLE_NANOS;
      if (settled && slack.isAmple()) {
        open = true;
        return;
      }
      if (settled && slack.isKnown() && !said) {
        said = true;
        messages.sampling("not sampling: " + slack.whyNot());
      }
      LockSupport.parkNanos(this, LOOK_NANOS);
      Thread.interrupted(); // an interrupted thread is never parked
    }
  }

  /** Lets go who waits. Any thread. */
  @Override
  public void close() {
    closed = true;
  }
}
