package stackweave.lab.phases;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import stackweave.samples.work.Round;

/**
 * Work for the collector: young and old garbage, weak references, and a full collection a round.
 */
final class Garbage implements Round {
  private final Map<Integer, byte[]> old = new HashMap<>();
  private final Random random = new Random(2);
  private Object sink;

  @Override
  public long run() {
    for (int i = 0; i < 100_000; i++) {
      old.put(random.nextInt(20_000), new byte[random.nextInt(2_000)]);
      sink = new Object[random.nextInt(300)];
      sink = new ArrayList<>(List.of(1, 2, 3));
      sink = new WeakReference<>(new Object());
    }
    System.gc();
    return sink == null ? 0 : 1;
  }
}
