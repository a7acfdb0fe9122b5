package stackweave.jfr.store;

import static stackweave.jfr.event.SampleRecord.Kind.CPU;

import java.nio.file.Path;
import java.util.Map;
import jdk.jfr.Recording;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.read.Chunks;
import stackweave.jfr.status.Breakdown;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.status.SamplerFigures;

/** Writes samples of {@link SyntheticStacks} into whatever recording runs. */
public final class SampleWriter implements AutoCloseable {
  private final EventStore store;
  private long written;

  public SampleWriter() {
    this(EventStore.open(SyntheticStacks.SESSION, StoreLimits.DEFAULT));
  }

  public SampleWriter(EventStore store) {
    this.store = store;
  }

  /** Writes {@code count} samples from {@code first} on, and the status after them. */
  public void write(long first, int count) {
    for (long number = first; number < first + count; number++) {
      long stack = SyntheticStacks.intern(store, number);
      long thread = SyntheticStacks.thread(store, number);
      if (!store.write(
          new SampleRecord()
              .begin(CPU, System.nanoTime(), 1_000)
              .stack(thread, stack, 0, number + 1))) {
        throw new IllegalStateException("refused: " + number);
      }
      written++;
    }
    boolean stated =
        store.status(
            new SamplerFigures(
                "synthetic",
                "",
                "",
                new Counters()
                    .set(Counter.INTERVAL, 1_000)
                    .set(Counter.TAKEN, written)
                    .set(Counter.WRITTEN, written)
                    .set(Counter.CPU_USED, written)
                    .set(Counter.CPU_COVERED, written),
                Map.of(Breakdown.ENDS, Map.of("complete", written))));
    if (!stated) {
      throw new IllegalStateException("status refused");
    }
  }

  @Override
  public void close() {
    store.close();
  }

  /** A process that writes samples and dies in the middle of its recording. */
  public static final class DyingProcess {
    public static final int SAMPLES = 1_000;

    private DyingProcess() {}

    public static void main(String[] args) throws Exception {
      Recording recording = new Recording();
      recording.setDestination(Path.of("/dev/null"));
      recording.start();
      SampleWriter writer = new SampleWriter();
      writer.write(0, SAMPLES);
      Chunks.awaitFlush();
      Runtime.getRuntime().halt(9);
    }
  }
}
