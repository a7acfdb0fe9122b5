package stackweave.agent.apps;

import java.io.IOException;

/** Works until its standard input ends, a third of the time; needs java.base alone. */
public final class Works {
  private static final int WORK_MILLIS = 10;

  private Works() {}

  public static void main(String[] arguments) throws IOException {
    start();
    System.out.println("ready");
    while (System.in.read() >= 0) {
      // until it is closed
    }
    System.out.println("done");
  }

  static void start() {
    Thread busy = new Thread(Works::work, "busy");
    busy.setDaemon(true);
    busy.start();
  }

  private static void work() {
    try {
      while (true) {
        long rest = System.nanoTime() + WORK_MILLIS * 1_000_000L;
        BurnsCpu.burn(() -> System.nanoTime() - rest >= 0);
        Thread.sleep(2 * WORK_MILLIS);
      }
    } catch (InterruptedException e) {
      // Nobody does that.
    }
  }
}
