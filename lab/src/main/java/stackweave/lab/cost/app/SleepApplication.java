package stackweave.lab.cost.app;

/** Does nothing, until the process is ended. */
public final class SleepApplication implements Application {
  @Override
  public void work(int worker, Units units) throws InterruptedException {
    Thread.sleep(Long.MAX_VALUE);
  }
}
