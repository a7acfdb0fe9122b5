package stackweave.jfr.export.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import stackweave.jfr.call.NativeCall;
import stackweave.jfr.call.NativeCallCounts;
import stackweave.jfr.chunk.ChunkReader;
import stackweave.jfr.chunk.EventShape;
import stackweave.jfr.read.ChunkEvents;
import stackweave.jfr.read.RecordingException;

/**
 * How often timed native methods were called and how long that took, by the events of a recording.
 * Not thread-safe.
 */
final class CallSums {
  private static final int COUNTS = 0;
  private static final List<EventShape> SHAPES =
      List.of(
          EventShape.of(
              NativeCallCounts.NAME, "method descriptor calls time histogram slowCalls slowTime"),
          EventShape.of(NativeCall.NAME, "method descriptor duration"));

  /** The sums of one method; times are in ns. */
  static final class Sum {
    final String method;
    final String descriptor;
    private final Sums.Sum fast = new Sums.Sum("");
    private final Sums.Sum countedSlow = new Sums.Sum("");
    private final Sums.Sum slowEvents = new Sums.Sum("");

    /** Calls by the bound of their duration in ns; Long.MAX_VALUE for the longest. */
    private final TreeMap<Long, Long> byBound = new TreeMap<>();

    private Sum(String method, String descriptor) {
      this.method = method;
      this.descriptor = descriptor;
    }

    private void add(ChunkReader counts) throws IOException {
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
          continue; // damaged: the other calls stand
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
     * A bound below which 99 of 100 calls are; 0 where that is as long as a slow call, and
     * Long.MAX_VALUE where it is not known.
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

  private CallSums() {}

  /** Reads a recording; the methods that took most time first. */
  static List<Sum> read(Path file) throws IOException, RecordingException {
    Map<String, Sum> sums = new HashMap<>();
    ChunkEvents.read(
        file,
        SHAPES,
        (shape, event) -> {
          String method = event.text(0);
          String descriptor = event.text(1);
          Sum sum = sums.computeIfAbsent(method + descriptor, key -> new Sum(method, descriptor));
          if (shape == COUNTS) {
            sum.add(event);
          } else {
            sum.slowEvents.add(1, event.nanosOf(event.number(2)));
          }
        });
    List<Sum> sorted = new ArrayList<>(sums.values());
    sorted.sort(
        Comparator.comparingLong((Sum sum) -> -sum.nanos())
            .thenComparing(sum -> sum.method)
            .thenComparing(sum -> sum.descriptor));
    return sorted;
  }
}
