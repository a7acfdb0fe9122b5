package stackweave.agent.apps;

import java.io.IOException;

/** Works until its standard input ends; needs java.base alone. */
public final class Works {

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
    Thread busy = new Thread(() -> BurnsCpu.burn(() -> false), "busy");
    busy.setDaemon(true);
    busy.start();
  }
}
