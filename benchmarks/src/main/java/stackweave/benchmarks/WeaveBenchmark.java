package stackweave.benchmarks;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import jdk.jfr.FlightRecorder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import stackweave.jfr.read.SampleDefinitions;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledMethod;
import stackweave.jfr.read.StackEnd;
import stackweave.jfr.read.StackThread;
import stackweave.jfr.weave.LiveWeave;

/**
 * What {@code weave=on} adds to a sample: one whose stack of 60 frames the chunk has, and one whose
 * stack it has not. Run it with {@code -prof gc}: in the long run neither allocates.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 1, jvmArgsAppend = "--add-opens=jdk.jfr/jdk.jfr.internal=ALL-UNNAMED")
public class WeaveBenchmark {
  private static final int FRAMES = 60;

  /** Samples of a chunk; then another one begins. */
  private static final int SAMPLES = 8_192;

  private static final int METHODS = 2_000;
  private static final StackEnd COMPLETE = new StackEnd("complete", true);
  private static final StackThread THREAD = new StackThread("worker", 7, 1, false, 0);

  private LiveWeave weave;
  private int next;

  /** Stack n has the frames n × 64 + 59 to n × 64. */
  private static final class Stacks implements SampleDefinitions {
    @Override
    public int maxMethods() {
      return 65_536;
    }

    @Override
    public int maxThreads() {
      return 16_384;
    }

    @Override
    public long parent(long node) {
      return (node & 63) == 0 ? 0 : node - 1;
    }

    @Override
    public long code(long node) {
      return 1 + node % METHODS;
    }

    @Override
    public SampledFrame frame(long node) {
      long method = code(node);
      return new SampledFrame(
          new SampledMethod(
              null, "com.example.Type" + method / 10, "method" + method, "()V", 1, "", 0),
          "C2",
          0,
          0);
    }

    @Override
    public int line(long node) {
      return 123;
    }

    @Override
    public long offset(long node) {
      return 17;
    }

    @Override
    public StackThread thread(long threadKey) {
      return THREAD;
    }

    @Override
    public StackEnd end(int code) {
      return COMPLETE;
    }
  }

  @Setup
  public void open() throws ReflectiveOperationException, IOException {
    weave = openWeave();
  }

  static LiveWeave openWeave() throws ReflectiveOperationException, IOException {
    FlightRecorder.getFlightRecorder();
    Class<?> type = Class.forName("jdk.jfr.internal.MetadataRepository");
    Method write = type.getDeclaredMethod("getBinaryRepresentation");
    write.setAccessible(true);
    byte[] metadata = (byte[]) write.invoke(type.getMethod("getInstance").invoke(null));
    Path directory = Path.of(System.getProperty("java.io.tmpdir"));
    return LiveWeave.of(metadata, new Stacks(), List.of(directory), "");
  }

  @TearDown
  public void close() {
    weave.discard();
  }

  @Benchmark
  public void knownStack() {
    weave.sample(nextSample(), 1, FRAMES - 1, 0);
  }

  @Benchmark
  public void newStack() {
    int sample = nextSample();
    weave.sample(1L << 40 | sample, 1, 64L * sample + FRAMES - 1, 0);
  }

  private int nextSample() {
    if (next == SAMPLES) {
      next = 0;
      weave.discard();
    }
    return ++next;
  }
}
