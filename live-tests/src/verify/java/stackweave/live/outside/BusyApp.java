package stackweave.live.outside;

import java.util.concurrent.locks.LockSupport;

/** Uses CPU time on one thread, by the same classes all the time, until its standard input ends. */
final class BusyApp {
  private static final int WORK = 5_000_000;
  private static final long PAUSE_NANOS = 5_000_000;

  private static volatile long result;

  private BusyApp() {}

  public static void main(String[] args) throws Exception {
    Thread busy = new Thread(BusyApp::work, "busy");
    busy.setDaemon(true);
    busy.start();
    System.in.read();
  }

  private static void work() {
    while (true) {
      burn();
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private static void burn() {
    long x = result;
    for (int i = 0; i < WORK; i++) {
      x = x * 6364136223846793005L + 1442695040888963407L;
    }
    result = x;
  }
}
