package stackweave.benchmarks;

import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StoreLimits;

/**
 * What it takes to write a sample whose stack the chunk has, of CPU time and of waiting, without C2
 * as in the agent. Run it with {@code -prof gc}: a sample allocates its event.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 1, jvmArgsAppend = "-XX:TieredStopAtLevel=1")
public class SampleWriteBenchmark {
  private final SampleRecord sample = new SampleRecord();
  private Recording recording;
  private EventStore store;
  private long thread;
  private long stack;

  @Setup
  public void open() {
    recording = new Recording();
    recording.enable(WallSample.NAME);
    recording.setMaxSize(1 << 24);
    recording.start();
    store = EventStore.open(new SessionInfo("", "", "", "", "", ""), StoreLimits.DEFAULT);
    thread = store.thread(7, "main", 1, false, 0, Thread.currentThread());
    long method = store.method(MethodDefinition.stub("stub"));
    stack = store.node(EventStore.ROOT, method, 1, -1, 16);
  }

  @TearDown
  public void close() {
    store.close();
    recording.close();
  }

  @Benchmark
  public boolean cpu() {
    sample.begin(SampleRecord.Kind.CPU, System.nanoTime(), 1).stack(thread, stack, 0, 0);
    return store.write(sample);
  }

  @Benchmark
  public boolean wall() {
    sample.begin(SampleRecord.Kind.WALL, System.nanoTime(), 1).stack(thread, stack, 0, 0).state(8);
    return store.write(sample);
  }
}
