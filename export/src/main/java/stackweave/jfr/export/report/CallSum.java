package stackweave.jfr.export.report;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import stackweave.jfr.chunk.ChunkReader;

/**
 * How often a timed native method was called and how long that took, in ns, by the events of a
 * recording. Not thread-safe.
 */
final class CallSum {
  final String method;
  final String descriptor;
  private final Sums.Sum fast = new Sums.Sum("");
  private final Sums.Sum countedSlow = new Sums.Sum("");
  final Sums.Sum slowEvents = new Sums.Sum("");

  /** Calls by the bound of their duration in ns; Long.MAX_VALUE for the longest. */
  private final TreeMap<Long, Long> byBound = new TreeMap<>();

  CallSum(String method, String descriptor) {
    this.method = method;
    this.descriptor = descriptor;
  }

  /** Adds the counts of a chunk, from the event that the reader is at. */
  void add(ChunkReader counts) throws IOException {
    fast.add(counts.number(2), counts.number(3));
    countedSlow.add(counts.number(5), counts.number(6));
    addHistogram(counts.text(4));
  }

  private void addHistogram(String histogram) {
    for (String part : histogram.split(",")) {
      String[] bound = part.split("=", 2);
      try {
        if (bound.length == 2) {
          long nanos = bound[0].equals("max") ? Long.MAX_VALUE : Long.parseLong(bound[0]);
          byBound.merge(nanos, Long.parseLong(bound[1]), Long::sum);
        }
      } catch (NumberFormatException e) {
        continue; // damaged: the other counts are used
      }
    }
  }

  /** All calls, slow ones included, also those of a chunk that was cut short. */
  long calls() {
    return fast.count + slow().count;
  }

  /** Slow calls that are in no count. */
  long uncounted() {
    return Math.max(0, slowEvents.count - countedSlow.count);
  }

  /** The time of all calls. */
  long nanos() {
    return fast.nanos + slow().nanos;
  }

  /** Calls with an event of their own. */
  long slowCalls() {
    return slow().count;
  }

  private Sums.Sum slow() {
    return slowEvents.count > countedSlow.count ? slowEvents : countedSlow;
  }

  /**
   * A bound that 99 of 100 calls are below; 0 if it is as long as a slow call, and Long.MAX_VALUE
   * if it is not known.
   */
  long mostlyBelow() {
    long wanted = calls() - calls() / 100;
    long seen = 0;
    for (Map.Entry<Long, Long> bound : byBound.entrySet()) {
      seen += bound.getValue();
      if (seen >= wanted) {
        return bound.getKey();
      }
    }
    return 0;
  }
}
