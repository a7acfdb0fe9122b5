package stackweave.lab.overhead.app;

/** Threads that start and end, and do nothing else. A unit is a hundred of them. */
public final class StartsApplication implements Application {
  private static final int STARTS = 100;

  @Override
  public void work(int worker, Units units) throws InterruptedException {
    while (units.next()) {
      for (int i = 0; i < STARTS; i++) {
        Thread thread = new Thread(() -> {}, "short");
        thread.start();
        thread.join();
      }
    }
  }
}
