package stackweave.benchmarks;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StoreLimits;

/**
 * The ids of a stack of 60 frames and of its thread, as for every sample: of one that was sampled
 * before, of one of 4,000 of them, and of one after the store forgot all. Run it with {@code -prof
 * gc}: only {@code forgotten} allocates.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class StackStoreBenchmark {
  private static final int FRAMES = 60;

  /** Frames that all stacks share, from the thread's first on. */
  private static final int SHARED = 15;

  private static final int STACKS = 4_000;

  private final long[][] methods = new long[STACKS][FRAMES];
  private EventStore store;
  private int next;

  @Setup
  public void fill() {
    store = EventStore.open(new SessionInfo("", "", "", "", "", ""), StoreLimits.DEFAULT);
    Random random = new Random(3);
    for (long[] stack : methods) {
      for (int i = 0; i < FRAMES; i++) {
        stack[i] = i < SHARED ? i + 1 : 1 + random.nextInt(20_000);
      }
      intern(stack);
    }
  }

  @TearDown
  public void close() {
    store.close();
  }

  @Benchmark
  public long one() {
    return intern(methods[0]);
  }

  @Benchmark
  public long oneOfMany() {
    next = next + 1 == STACKS ? 0 : next + 1;
    return intern(methods[next]);
  }

  @Benchmark
  public long forgotten() {
    store.newGeneration();
    return intern(methods[0]);
  }

  private long intern(long[] stack) {
    store.beginStack();
    long node = EventStore.ROOT;
    for (long method : stack) {
      node = store.node(node, method, 1, -1, method << 4);
    }
    return node + store.thread(7, "main", 1, false, 0, null);
  }
}
