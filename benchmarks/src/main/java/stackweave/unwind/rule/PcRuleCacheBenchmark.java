package stackweave.unwind.rule;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** What a frame costs whose address was met before: the rule comes from the cache. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
public class PcRuleCacheBenchmark {
  private static final int GENERATION = 1;

  /** How many addresses there are: those of one stack, and those of a busy JVM. */
  @Param({"64", "4096"})
  public int addresses;

  private final PcRuleCache cache = new PcRuleCache();
  private long[] known;
  private int next;

  @Setup
  public void fill() {
    Random random = new Random(1);
    known = new long[addresses];
    int kept = 0;
    while (kept < addresses) {
      long address = 0x7f00_0000_0000L + random.nextInt(1 << 24);
      cache.put(address, GENERATION, kept & 63);
      known[kept++] = address;
    }
  }

  /** A lookup; where two addresses pushed a third out of its set, a miss. */
  @Benchmark
  public int lookup() {
    next = (next + 1) & (addresses - 1);
    return cache.find(known[next], GENERATION);
  }
}
