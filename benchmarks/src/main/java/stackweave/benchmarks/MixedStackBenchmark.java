package stackweave.benchmarks;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.vmstructs.UnsupportedVmException;

/**
 * A warm mixed stack of about 60 frames, unwound from its first register to its thread's entry: a
 * sample of a thread of this JVM that recurses in compiled Java code into the JDK's zlib.
 *
 * <p>Budget: 10 µs. Run it with {@code -prof gc}: it allocates nothing.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class MixedStackBenchmark {
  private SampledStack stack;
  private int frames;

  @Setup
  public void sample() throws IOException, UnsupportedVmException {
    stack = new SampledStack(56, 64);
    frames = stack.unwind().count();
    System.out.printf("stack of %d frames%n", frames);
  }

  @Benchmark
  public FrameBuffer warm() {
    return stack.unwind();
  }

  /** The stack must be unchanged after the measurement. */
  @TearDown
  public void check() {
    FrameBuffer last = stack.unwind();
    if (last.count() != frames || !last.end().isComplete()) {
      throw new IllegalStateException(
          frames + " frames became " + last.count() + ", " + last.end());
    }
    stack.close();
  }
}
