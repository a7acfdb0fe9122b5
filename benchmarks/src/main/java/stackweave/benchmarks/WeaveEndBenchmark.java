package stackweave.benchmarks;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import stackweave.jfr.weave.LiveWeave;

/**
 * What {@code weave=on} adds to the end of a chunk, on the thread that ends it: the hook puts 16
 * MiB of samples, the most there are, behind a chunk that JFR wrote.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(value = 1, jvmArgsAppend = "--add-opens=jdk.jfr/jdk.jfr.internal=ALL-UNNAMED")
public class WeaveEndBenchmark {
  private static final int FRAMES = 60;
  private static final long MIN_BYTES = 15L << 20;

  private LiveWeave weave;
  private Path chunk;
  private long size;

  @Setup
  public void open() throws ReflectiveOperationException, IOException {
    weave = WeaveBenchmark.openWeave();
    chunk = Files.createTempFile("stackweave", ".jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      recording.stop();
      recording.dump(chunk);
    }
    size = Files.size(chunk);
  }

  /** Stacks that are new come now and then, as they do in an application. */
  @Setup(Level.Invocation)
  public void encode() {
    long before = weave.unwoven();
    for (int sample = 1; weave.unwoven() == before; sample++) {
      weave.sample(1L << 40 | sample, 1, 64L * (sample % 8_192) + FRAMES - 1, 0);
    }
    weave.chunkEnds();
  }

  @Benchmark
  public void endOfChunk() {
    weave.finished(chunk.toString());
  }

  /** It was done, and is undone. */
  @TearDown(Level.Invocation)
  public void cut() throws IOException {
    long added = Files.size(chunk) - size;
    if (added < MIN_BYTES) {
      throw new IllegalStateException(added + " bytes were added: " + weave.note());
    }
    try (RandomAccessFile file = new RandomAccessFile(chunk.toFile(), "rw")) {
      file.setLength(size);
    }
  }

  @TearDown
  public void close() throws IOException {
    weave.discard();
    Files.delete(chunk);
  }
}
