package stackweave.jfr.weave.format;

import java.util.Comparator;
import java.util.List;
import stackweave.jfr.chunk.ChunkHeader;

/**
 * The clock of a JVM's events, by the beginnings of its chunks, at which JFR reads it and the time
 * of day together. Between two of them the clock's true rate is known; otherwise it is taken to be
 * the one that JFR states. Immutable.
 */
public final class JvmClock {
  /** A stated rate is wrong by less: JFR takes it from the name of the processor. */
  private static final double MOST_WRONG = 0.02;

  private static final double NANOS_PER_SECOND = 1e9;

  private final List<ChunkHeader> chunks;

  /**
   * @param chunks of one JVM, at least one; none of it needs to be true
   */
  public JvmClock(List<ChunkHeader> chunks) {
    this.chunks =
        chunks.stream().sorted(Comparator.comparingLong(ChunkHeader::startNanos)).toList();
  }

  /** The chunk of a time in ns since 1970: the last one that had begun, else the first. */
  ChunkHeader chunkAt(long nanos) {
    return chunks.get(indexAt(nanos));
  }

  private int indexAt(long nanos) {
    int index = 0;
    while (index + 1 < chunks.size() && chunks.get(index + 1).startNanos() <= nanos) {
      index++;
    }
    return index;
  }

  /** What the clock said at a time in ns since 1970. */
  long ticksAt(long nanos) {
    int index = indexAt(nanos);
    ChunkHeader chunk = chunks.get(index);
    return chunk.startTicks() + Math.round((nanos - chunk.startNanos()) * rate(index));
  }

  /** Ticks per nanosecond from a chunk's beginning on. */
  private double rate(int index) {
    int from = Math.min(index, chunks.size() - 2);
    double stated = chunks.get(index).ticksPerSecond() / NANOS_PER_SECOND;
    if (from < 0) {
      return stated;
    }
    ChunkHeader begin = chunks.get(from);
    ChunkHeader end = chunks.get(from + 1);
    double measured =
        (end.startTicks() - begin.startTicks())
            / (double) Math.max(1, end.startNanos() - begin.startNanos());
    return Math.abs(measured / stated - 1) < MOST_WRONG ? measured : stated;
  }

  /** Ticks per nanosecond at a time in ns since 1970. */
  double rateAt(long nanos) {
    return rate(indexAt(nanos));
  }
}
