package stackweave.agent.apps;

import jdk.jfr.Event;
import jdk.jfr.Name;

/**
 * Burns CPU time in events of JFR's alone, for as many seconds as told, and says {@code running}.
 */
public final class Marks {
  private static final int WORK_MILLIS = 20;

  private Marks() {}

  /** The time of some work. */
  @Name("app.Mark")
  public static final class Mark extends Event {}

  public static void main(String[] arguments) throws InterruptedException {
    System.out.println("running");
    long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000_000L;
    while (System.nanoTime() - end < 0) {
      Mark mark = new Mark();
      mark.begin();
      burn();
      mark.commit();
      Thread.sleep(WORK_MILLIS);
    }
  }

  private static void burn() {
    long until = System.nanoTime() + WORK_MILLIS * 1_000_000L;
    BurnsCpu.burn(() -> System.nanoTime() - until >= 0);
  }
}
