package stackweave.agent.apps;

import java.io.IOException;

/** Works until its standard input ends, a third of the time; needs java.base alone. */
public final class Works {
  private static final int WORK_MILLIS = 10;

  private Works() {}

  /** An argument ends the name of the thread that works. */
  public static void main(String[] arguments) throws IOException {
    start("busy" + String.join("", arguments));
    System.out.println("ready");
    while (System.in.read() >= 0) {
      // until it is closed
    }
    System.out.println("done");
  }

  static void start() {
    start("busy");
  }

  private static void start(String name) {
    Thread busy = new Thread(Works::work, name);
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
