package stackweave.agent.drain;

/**
 * Lets the drain thread wait before it uses events while another thread registers some with JFR,
 * because the two could deadlock ({@code SamplingListener.onRegistering} says why). An engine can
 * be started meanwhile. Thread-safe.
 */
final class EventRegistrations {
  /** The number of nested registrations. */
  private int underWay;

  synchronized void begin() {
    underWay++;
  }

  synchronized void end() {
    underWay--;
    notifyAll();
  }

  /** Waits until no registration is under way; one takes a fraction of a second. */
  synchronized void await() {
    boolean interrupted = false;
    while (underWay > 0) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
