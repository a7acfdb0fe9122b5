package stackweave.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import stackweave.benchmarks.cases.LiveVm;
import stackweave.hotspot.MixedUnwinder;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.vmstructs.UnsupportedVmException;
import stackweave.lab.phases.PhaseRun;
import stackweave.unwind.Architecture;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * What the first stacks cost: 400 samples of this JVM at various work, unwound with fault-safe
 * reads by an unwinder with empty caches, whose creation is included.
 *
 * <p>Budget: 700 ns a frame (the counter {@code frames}). Unwind tables and symbols are warm: a
 * process opens them once.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 5, time = 3)
@Fork(1)
public class ColdStacksBenchmark {
  private static final int SAMPLES = 400;
  private static final long INTERVAL_NANOS = 5_000_000;

  /** One of so many samples is kept, so that not all are of the JVM's start. */
  private static final int ONE_OF = 8;

  private final List<StackSnapshot> samples = new ArrayList<>();
  private final FrameBuffer frames = new FrameBuffer(1024);
  private LiveVm vm;
  private volatile boolean enough;

  /** Frames unwound: the figure is the time of one. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.OPERATIONS)
  public static class Frames {
    public long frames;
  }

  @Setup
  public void sample() throws IOException, UnsupportedVmException, InterruptedException {
    vm = new LiveVm();
    // By this name the program finds that it is being sampled.
    Thread.currentThread().setName("stackweave-drain");
    Thread program = new Thread(this::work, "program");
    program.start();
    MixedUnwinder unwinder = vm.unwinder();
    int[] seen = new int[1];
    vm.sample(
        INTERVAL_NANOS,
        sample -> {
          if (seen[0]++ % ONE_OF == 0) {
            unwinder.unwind(sample, vm.modules().at(sample.timeNanos()), frames);
            if (frames.end().isComplete()) {
              samples.add(copy(sample));
            }
          }
          enough = samples.size() == SAMPLES;
          return !enough && program.isAlive();
        });
    program.join();
    if (samples.size() < SAMPLES) {
      throw new IllegalStateException("only " + samples.size() + " samples");
    }
  }

  /** Works until there are enough samples: a busy machine gives fewer in the same time. */
  private void work() {
    try {
      while (!enough) {
        PhaseRun.main(new String[] {"2", "compute,vmheavy,stubs,exceptions,locks,io"});
      }
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private StackSnapshot copy(StackSnapshot sample) {
    StackSnapshot copy = new StackSnapshot(Architecture.X86_64);
    copy.clear();
    copy.registers().copyFrom(sample.registers());
    copy.setHasRegisters(true);
    System.arraycopy(sample.stackBytes(), 0, copy.stackBytes(), 0, sample.stackLength());
    copy.setStack(sample.stackAddress(), sample.stackLength());
    copy.setElsewhere(vm.memory());
    return copy;
  }

  @Benchmark
  public long cold(Frames counter) {
    MixedUnwinder unwinder = vm.unwinder();
    for (StackSnapshot sample : samples) {
      unwinder.unwind(sample, vm.modules().latest(), frames);
      counter.frames += frames.count();
    }
    return counter.frames;
  }

  /** The stacks must still be complete after the measurement, but for code that was freed since. */
  @TearDown
  public void check() {
    MixedUnwinder unwinder = vm.unwinder();
    int complete = 0;
    for (StackSnapshot sample : samples) {
      unwinder.unwind(sample, vm.modules().latest(), frames);
      complete += frames.end().isComplete() ? 1 : 0;
    }
    System.out.printf("%d of %d stacks complete%n", complete, SAMPLES);
    if (complete < SAMPLES * 95 / 100) {
      throw new IllegalStateException("only " + complete + " stacks are still complete");
    }
    vm.close();
  }
}
