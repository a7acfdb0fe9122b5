package stackweave.jfr.weave;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The chunks of one JVM, in their order, and what holds for all of them. Not thread-safe. */
final class JvmChunks {
  /** Above it the repeated events of one recording were more than a tool may take. */
  private static final int MOST_MEAN_REPEATS = 16;

  /** In the order of time, once {@link #finish} is called. */
  final List<ChunkScan> chunks = new ArrayList<>();

  /** Whether they are surely of one JVM: by what they say, not by where they are. */
  final boolean isCertain;

  private long first = Long.MAX_VALUE;
  private long last = Long.MIN_VALUE;

  /** Begins and ends of the times in which no sample was taken, one after the other. */
  private final List<Long> pauses = new ArrayList<>();

  /** Of all samples, once {@link #finish} is called. */
  final WeightSpread weights = new WeightSpread();

  private long interval = Long.MAX_VALUE;

  JvmChunks(boolean isCertain) {
    this.isCertain = isCertain;
  }

  /** All chunks are there, in the order of time. */
  void finish() {
    long before = Long.MIN_VALUE;
    for (ChunkScan chunk : chunks) {
      first = Math.min(first, chunk.firstNanos);
      last = Math.max(last, chunk.lastNanos);
      interval = Math.min(interval, chunk.shortestInterval);
      weights.addAll(chunk.weights);
      for (long status : chunk.statuses) {
        long nanos = status < 0 ? ~status : status;
        // The first one is written before the first sample is decoded: what is before that is
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

  /** Whether samples were taken at a time: so JFR's own would be there beside ours. */
  boolean isSampledAt(long nanos) {
    if (nanos < first || nanos > last) {
      return false;
    }
    int index = Collections.binarySearch(pauses, nanos);
    // Behind a begin, an odd number of ends and begins is before it.
    return index >= 0 || (~index & 1) == 0;
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
