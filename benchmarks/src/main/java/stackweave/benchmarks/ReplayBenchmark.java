package stackweave.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.replay.Replay;
import stackweave.hotspot.replay.ReplayReader;
import stackweave.hotspot.vmstructs.UnsupportedVmException;

/**
 * A warm mixed stack of some 60 frames out of the recorded cases: zlib's code in a recursion of
 * compiled Java, unwound from its first register to its thread's entry.
 *
 * <p>Budget: 6 µs, and 100 ns a frame (the counter {@code frames}). Run it with {@code -prof gc}:
 * it allocates nothing. Cases are looked for in {@code -Dreplay.cases=DIR}, by default where they
 * are in the project's directory.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ReplayBenchmark {
  @Param({"jdk17", "jdk21", "jdk25", "jdk27"})
  public String jdk;

  private Replay replay;

  /** Frames unwound: the figure is the time of one. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.OPERATIONS)
  public static class Frames {
    public long frames;
  }

  @Setup
  public void read() throws IOException, UnsupportedVmException {
    String cases = System.getProperty("replay.cases", "hotspot/src/test/resources/replay");
    replay = new Replay(ReplayReader.read(Path.of(cases, jdk, jdk + "-sixty-frames.replay")));
    if (!replay.unwind().end().isComplete()) {
      throw new IllegalStateException("the case ends with " + replay.unwind().end());
    }
  }

  @Benchmark
  public FrameBuffer warm(Frames counter) {
    FrameBuffer frames = replay.unwind();
    counter.frames += frames.count();
    return frames;
  }
}
