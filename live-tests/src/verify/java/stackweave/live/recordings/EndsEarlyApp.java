package stackweave.live.recordings;

import stackweave.lab.Sampling;
import stackweave.samples.work.AgentThread;

/**
 * Ends as soon as the agent's thread is there, and before it can have taken samples; with an
 * argument, once it takes them.
 */
final class EndsEarlyApp {
  private EndsEarlyApp() {}

  public static void main(String[] args) throws Exception {
    for (int i = 0; i < 300_000 && !AgentThread.isThere(); i++) {
      Thread.sleep(1);
    }
    if (args.length > 0) {
      Sampling.await();
      for (int i = 0; i < 20; i++) { // not at one go: the machine may stop for a while
        Thread.sleep(100);
      }
    }
    System.exit(0); // with it, for it is a daemon
  }
}
