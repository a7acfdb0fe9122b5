package stackweave.benchmarks;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import stackweave.unwind.Architecture;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.snapshot.StackSnapshot;

/** The time to read one word of the copied stack, and to find that one lies outside the copy. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SnapshotReadBenchmark {
  private static final long SP = 0x7fff_0000_1000L;

  private final StackSnapshot snapshot = new StackSnapshot(Architecture.X86_64);

  public SnapshotReadBenchmark() {
    snapshot.setStack(SP, 16 * 1024);
  }

  @Benchmark
  public long copied() throws UnreadableMemoryException {
    return snapshot.readLong(SP + 4096);
  }

  @Benchmark
  public UnreadableMemoryException beyondCopy() {
    try {
      snapshot.readLong(SP + 32 * 1024);
      throw new AssertionError("read what was never copied");
    } catch (UnreadableMemoryException e) {
      return e;
    }
  }
}
