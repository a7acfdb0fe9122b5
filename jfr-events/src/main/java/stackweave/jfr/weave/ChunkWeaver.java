package stackweave.jfr.weave;

import java.io.DataOutput;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkSource;
import stackweave.jfr.chunk.Metadata;
import stackweave.jfr.read.ChunkSamples;
import stackweave.jfr.weave.format.FileIds;
import stackweave.jfr.weave.format.SampleEncoder;
import stackweave.jfr.weave.format.TraceLayout;
import stackweave.jfr.weave.format.WeaveException;
import stackweave.jfr.weave.format.WovenChunk;
import stackweave.jfr.weave.format.WovenMark;
import stackweave.jfr.weave.format.WovenTypes;

/**
 * Encodes the samples of one chunk as one {@link WovenChunk} or, if they are many, several. Holds
 * the chunk's definitions and one of these in memory. Used once; not thread-safe.
 */
final class ChunkWeaver {
  /** Seed for rounding samples by their weight: random, and the same each time. */
  private static final long SEED = 0x5745_4156_4552L;

  /** A sample that is repeated more often than this is damaged. */
  private static final int MOST_REPEATS = 10_000;

  private static final String DEFAULT_STATE = "STATE_DEFAULT";

  /**
   * What options and JVM determine for a chunk.
   *
   * @param durationNanos how long the chunk lasted
   */
  record Settings(MergeOptions options, WovenMark mark, long weightUnit, long durationNanos) {}

  private final ChunkHeader header;
  private final Settings settings;
  private final FileIds ids;
  private final WovenTypes types;
  private final ChunkSamples samples;
  private final SplittableRandom random;
  private WovenChunk piece;
  private long events;

  /**
   * Reads a chunk's definitions.
   *
   * @param source stays open as long as this is used
   * @param jfrTypes has the types of JFR's own samples
   * @throws WeaveException if its types are laid out as in no JDK that is known
   * @throws IOException if the chunk is damaged
   */
  ChunkWeaver(
      ChunkSource source, ChunkHeader header, Settings settings, Metadata jfrTypes, FileIds ids)
      throws IOException {
    this.header = header;
    this.settings = settings;
    this.ids = ids;
    try {
      this.types =
          new WovenTypes(
              jfrTypes, settings.options().isStateDefault() ? DEFAULT_STATE : TraceLayout.RUNNABLE);
    } catch (IOException e) {
      throw new WeaveException(
          "JFR's stack traces are laid out as in no JDK known here: " + e.getMessage(), e);
    }
    this.samples = ChunkSamples.of(source, header);
    this.random = new SplittableRandom(SEED ^ header.startNanos());
    this.piece = new WovenChunk(types, List.of(), 1);
  }

  /**
   * Writes the woven chunks.
   *
   * @return when the last one of them begins, since 1970
   */
  long writeTo(DataOutput out) throws IOException {
    SampleEncoder encoder = new SampleEncoder(types, samples, ids);
    samples.forEach(
        (ticks, threadKey, node, endCode, weight) -> {
          if (piece.size() >= WovenChunk.MAX_BYTES) {
            end(out);
            piece = new WovenChunk(types, List.of(), piece.number() + 1);
          }
          encoder.sample(piece, ticks, threadKey, node, endCode, repeats(weight));
        });
    return end(out);
  }

  private long end(DataOutput out) throws IOException {
    piece.end();
    events += piece.samples();
    int place = piece.number() - 1;
    return piece.writeTo(out, header, place, duration(place), ids.text(), settings.mark());
  }

  /** Tools add up the durations of chunks: JFR's chunk has it, or if left out, the first woven. */
  private long duration(int place) {
    return settings.options().only() && place == 0
        ? Math.max(WovenChunk.NO_DURATION, settings.durationNanos())
        : WovenChunk.NO_DURATION;
  }

  private int repeats(long weight) {
    if (!settings.options().byWeight()) {
      return 1;
    }
    double times = Math.max(0, weight) / (double) settings.weightUnit();
    return (int) Math.min(MOST_REPEATS, Math.floor(times + random.nextDouble()));
  }

  /** The events that were written. */
  long events() {
    return events;
  }
}
