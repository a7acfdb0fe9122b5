package stackweave.agent.apps;

import java.io.IOException;

/** Waits for a line, then works on its main thread until its standard input ends. */
public final class BurnsWhenTold {
  private static volatile boolean over;

  private BurnsWhenTold() {}

  public static void main(String[] arguments) throws IOException {
    System.out.println("ready");
    while (System.in.read() != '\n') {
      // the line
    }
    Thread watch = new Thread(BurnsWhenTold::awaitEnd, "watch");
    watch.setDaemon(true);
    watch.start();
    System.out.println("burning");
    BurnsCpu.burn(() -> over);
  }

  private static void awaitEnd() {
    try {
      while (System.in.read() >= 0) {
        // until it is closed
      }
      over = true;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
