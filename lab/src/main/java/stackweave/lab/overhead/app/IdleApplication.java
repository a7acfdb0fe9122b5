package stackweave.lab.overhead.app;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * A service most of whose threads wait: four work a quarter of the time, all others wait until the
 * end. A unit is some milliseconds of work.
 */
public final class IdleApplication implements Application {
  private static final int BUSY = 4;
  private static final int USUAL = 1_000;
  private static final int ROUNDS = 2_000_000;
  private static final long PAUSE_NANOS = 15_000_000;

  private final CountDownLatch working = new CountDownLatch(BUSY);
  private volatile long sum;

  @Override
  public int threads(int wanted) {
    return BUSY + (wanted == 0 ? USUAL : wanted);
  }

  @Override
  public void work(int worker, Units units) throws InterruptedException {
    if (worker >= BUSY) {
      working.await();
      return;
    }
    while (units.next()) {
      long own = worker;
      for (int i = 0; i < ROUNDS; i++) {
        own = own * 31 + i;
      }
      sum = own;
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    working.countDown();
  }
}
