package stackweave.benchmarks;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import stackweave.agent.jdk.label.Contexts;
import stackweave.label.StackweaveContext;

/**
 * What a scope of labels costs its thread: opened and closed. {@code none}: without an agent;
 * {@code idle}: it takes no samples; {@code sampling}: it does. {@link #clock} is one reading of
 * the clock, of which a scope makes two.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class LabelBenchmark {
  private static final String[] LABELS = {"endpoint", "/orders"};

  @Param({"none", "idle", "sampling"})
  public String agent;

  @Setup
  public void setUp() throws ReflectiveOperationException {
    if (!agent.equals("none")) {
      Field field = StackweaveContext.class.getDeclaredField("agent");
      field.setAccessible(true);
      field.set(null, Contexts.OPEN);
    }
    if (agent.equals("sampling")) {
      Method begin = Contexts.class.getDeclaredMethod("begin");
      begin.setAccessible(true);
      begin.invoke(null);
    }
  }

  /** The labels in an array that is there already. */
  @Benchmark
  @SuppressWarnings("try") // javac: the scope is never referenced
  public String scope() {
    try (StackweaveContext context = StackweaveContext.open(LABELS)) {
      return agent;
    }
  }

  /** One scope in another, each with an array of its own. */
  @Benchmark
  @SuppressWarnings("try") // javac: the scopes are never referenced
  public String nested() {
    try (StackweaveContext outer = StackweaveContext.open("trace_id", agent);
        StackweaveContext inner = StackweaveContext.open("step", agent)) {
      return agent;
    }
  }

  @Benchmark
  public long clock() {
    return System.nanoTime();
  }
}
