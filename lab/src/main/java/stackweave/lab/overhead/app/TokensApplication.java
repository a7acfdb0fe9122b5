package stackweave.lab.overhead.app;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/**
 * Pairs of threads that hand a token to each other, and do nothing else: each hand-over is a switch
 * between threads. By semaphores, since a queue without room lets threads spin for a while, and the
 * CPU time of that depends on chance. A unit is a thousand round trips.
 */
public final class TokensApplication implements Application {
  private static final int TRIPS = 1_000;

  /** What a pair has between its threads. */
  private static final class Pair {
    private final Semaphore there = new Semaphore(0);
    private final Semaphore back = new Semaphore(0);

    /** Written before the last token is handed over. */
    private boolean ended;
  }

  private final Map<Integer, Pair> pairs = new ConcurrentHashMap<>();

  @Override
  public int threads(int wanted) {
    return wanted == 0 ? 8 : wanted + wanted % 2;
  }

  @Override
  public void work(int worker, Units units) throws InterruptedException {
    Pair pair = pairs.computeIfAbsent(worker / 2, number -> new Pair());
    if (worker % 2 == 1) {
      for (pair.there.acquire(); !pair.ended; pair.there.acquire()) {
        pair.back.release();
      }
      return;
    }
    while (units.next()) {
      for (int i = 0; i < TRIPS; i++) {
        pair.there.release();
        pair.back.acquire();
      }
    }
    pair.ended = true;
    pair.there.release();
  }
}
