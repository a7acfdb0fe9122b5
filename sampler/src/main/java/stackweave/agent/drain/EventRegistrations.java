package stackweave.agent.drain;

/**
 * Keeps the drain thread from using events while another thread registers some with JFR, for the
 * two would wait for each other ({@code SamplingListener.onRegistering} says why). So an engine can
 * be started meanwhile. Thread-safe.
 */
final class EventRegistrations {
  /** How many are under way, one within the other. */
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
