package stackweave.jfr.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static stackweave.jfr.event.SampleRecord.Kind.CPU;

import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import jdk.jfr.Recording;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.jfr.Programs;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.read.SampledRecording;
import stackweave.testing.Jdk;

/** Blocks in recordings of JVMs with small buffers. */
class BlockSizesIT {
  @TempDir Path directory;

  /** A block is more than the buffers that JFR may be given. */
  @ParameterizedTest
  @ValueSource(
      strings = {"threadbuffersize=4k,globalbuffersize=64k,memorysize=1m", "stackdepth=64"})
  void blocksFitIntoJfrsBuffers(String options) throws Exception {
    for (Jdk jdk : Jdk.onNewest().toList()) {
      Path file = directory.resolve("big-" + jdk.feature() + ".jfr");
      Programs.Outcome outcome =
          Programs.java(
              jdk,
              List.of("-XX:FlightRecorderOptions:" + options),
              Noise.class,
              List.of(file.toString()));
      assertEquals(0, outcome.exit(), outcome.output());
      SampledRecording recording = SampledRecording.open(file);
      assertEquals(List.of(), recording.losses());
      assertEquals(Noise.SAMPLES, recording.samples());
    }
  }

  /** A process whose names can't be deflated. */
  public static final class Noise {
    public static final int SAMPLES = 500;

    private Noise() {}

    public static void main(String[] args) throws Exception {
      Random random = new Random(1);
      try (Recording recording = new Recording();
          EventStore store = EventStore.open(SyntheticStacks.SESSION, StoreLimits.DEFAULT)) {
        recording.start();
        for (int i = 0; i < SAMPLES; i++) {
          store.beginStack();
          StringBuilder name = new StringBuilder();
          for (int c = 0; c < 3_000; c++) {
            name.append((char) (random.nextInt(0xFFFF)));
          }
          long method = store.method(MethodDefinition.stub(name.toString()));
          long node = store.node(EventStore.ROOT, method, 1, 1, 1);
          long thread = store.thread(1, "main", 1, false, 0, Thread.currentThread());
          store.write(
              new SampleRecord().begin(CPU, System.nanoTime(), 1).stack(thread, node, 0, i));
        }
        store.flush();
        recording.dump(Path.of(args[0]));
      }
    }
  }
}
