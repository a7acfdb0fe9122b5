package stackweave.verify.cost.app;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.SynchronousQueue;

/**
 * Pairs of threads that hand a token to each other, and do nothing else: each hand-over is a switch
 * between threads. A unit is a thousand round trips.
 */
public final class TokensApplication implements Application {
  private static final int TRIPS = 1_000;
  private static final int END = -1;

  /** What a pair has between its threads. */
  private record Pair(SynchronousQueue<Integer> there, SynchronousQueue<Integer> back) {
    Pair() {
      this(new SynchronousQueue<>(), new SynchronousQueue<>());
    }
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
      while (pair.there.take() != END) {
        pair.back.put(0);
      }
      return;
    }
    while (units.next()) {
      for (int i = 0; i < TRIPS; i++) {
        pair.there.put(0);
        pair.back.take();
      }
    }
    pair.there.put(END);
  }
}
