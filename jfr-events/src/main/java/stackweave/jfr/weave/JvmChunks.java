package stackweave.jfr.weave;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** The chunks of one JVM in their order, and the facts that they share. Not thread-safe. */
final class JvmChunks {
  /** Most events for a mean sample when samples are repeated; more would be too much for tools. */
  private static final int MOST_MEAN_REPEATS = 16;

  /** In their order in the output, once {@link #finish} is called. */
  final List<ChunkScan> chunks = new ArrayList<>();

  /** Whether they are certainly of one JVM: by their content, not by their place in a file. */
  final boolean isCertain;

  private long first = Long.MAX_VALUE;
  private long last = Long.MIN_VALUE;

  /** Alternating begins and ends of the times in which no sample was taken. */
  private final List<Long> pauses = new ArrayList<>();

  /** The weights of all samples, once {@link #finish} is called. */
  final WeightSpread weights = new WeightSpread();

  private long interval = Long.MAX_VALUE;

  JvmChunks(boolean isCertain) {
    this.isCertain = isCertain;
  }

  /** All chunks are there. */
  void finish() {
    long before = Long.MIN_VALUE;
    List<ChunkScan> byTime = new ArrayList<>(chunks);
    byTime.sort(Comparator.comparing(chunk -> chunk.header.startNanos()));
    for (ChunkScan chunk : byTime) {
      first = Math.min(first, chunk.firstNanos);
      last = Math.max(last, chunk.lastNanos);
      interval = Math.min(interval, chunk.shortestInterval);
      weights.addAll(chunk.weights);
      for (long status : chunk.statuses) {
        long nanos = status < 0 ? ~status : status;
        // The first status is written before the first sample is decoded, so the time before it is
        // known.
        if (status < 0 && before < nanos && before != Long.MIN_VALUE) {
          pause(before, nanos);
        }
        before = Math.max(before, nanos);
      }
    }
  }

  private void pause(long from, long to) {
    int last = pauses.size() - 1;
    if (last > 0 && pauses.get(last) == from) {
      pauses.set(last, to);
    } else {
      pauses.addAll(List.of(from, to));
    }
  }

  /** Whether samples were taken at a time, so that the agent has its own beside JFR's. */
  boolean isSampledAt(long nanos) {
    if (nanos < first || nanos > last) {
      return false;
    }
    int index = Collections.binarySearch(pauses, nanos);
    // Behind the begin of a pause, the number of begins and ends is odd.
    return index >= 0 || (~index & 1) == 0;
  }

  /** When the first chunk began. */
  long startNanos() {
    return chunks.stream().mapToLong(chunk -> chunk.header.startNanos()).min().orElseThrow();
  }

  /** Whether any chunk has samples. */
  boolean hasSamples() {
    return first <= last;
  }

  /** The time of CPU that an event is to stand for, where samples are repeated by their weight. */
  long weightUnit() {
    double least = weights.mean() / MOST_MEAN_REPEATS;
    double unit = interval == Long.MAX_VALUE ? weights.mean() : interval;
    return (long) Math.max(1, Math.max(least, unit));
  }
}
