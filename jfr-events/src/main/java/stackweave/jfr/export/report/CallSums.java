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
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkReader;
import stackweave.jfr.chunk.ChunkSource;
import stackweave.jfr.chunk.EventShape;
import stackweave.jfr.read.ChunkList;
import stackweave.jfr.read.RecordingException;

/**
 * How often timed native methods were called and how long that took, by the events of a recording.
 * Of a damaged chunk it has what is before the damage. Not thread-safe.
 */
final class CallSums {
  private static final int METHOD = 0;
  private static final int DESCRIPTOR = 1;
  private static final int CALLS = 2;
  private static final int TIME = 3;
  private static final int HISTOGRAM = 4;
  private static final int SLOW_CALLS = 5;
  private static final int SLOW_TIME = 6;
  private static final int DURATION = 2;

  private static final int COUNTS = 0;

  private static final List<EventShape> SHAPES =
      List.of(
          EventShape.of(
              NativeCallCounts.NAME, "method descriptor calls time histogram slowCalls slowTime"),
          EventShape.of(NativeCall.NAME, "method descriptor duration"));

  /** Of one method. */
  static final class Sum {
    private final String method;
    private final String descriptor;
    private long calls;
    private long nanos;
    private long countedSlow;
    private long countedSlowNanos;
    private long slowEvents;
    private long slowEventNanos;
    private long longest;

    /** Calls by the bound of their duration in ns; Long.MAX_VALUE for the longest. */
    private final TreeMap<Long, Long> byBound = new TreeMap<>();

    private Sum(String method, String descriptor) {
      this.method = method;
      this.descriptor = descriptor;
    }

    String method() {
      return method;
    }

    String descriptor() {
      return descriptor;
    }

    /** All calls, slow ones included, also those of a chunk that was cut short. */
    long calls() {
      return calls + uncounted();
    }

    /** Slow calls that are in no count. */
    long uncounted() {
      return Math.max(0, slowEvents - countedSlow);
    }

    /** The time of these, in ns. */
    long nanos() {
      return nanos + (uncounted() > 0 ? Math.max(0, slowEventNanos - countedSlowNanos) : 0);
    }

    /** Calls with an event of their own. */
    long slowCalls() {
      return Math.max(countedSlow, slowEvents);
    }

    /** The duration of the longest slow call, in ns; 0 if there is none. */
    long longest() {
      return longest;
    }

    /**
     * A bound below which 99 of 100 calls are, in ns; 0 where that is as long as a slow call, and
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

  private final Map<String, Sum> sums = new HashMap<>();

  private CallSums() {}

  /** Reads a recording that was read before. */
  static CallSums read(Path file) throws IOException, RecordingException {
    CallSums all = new CallSums();
    try (ChunkSource source = new ChunkSource(file)) {
      for (ChunkHeader header : ChunkList.scan(file).chunks()) {
        all.read(source, header);
      }
    }
    return all;
  }

  private void read(ChunkSource source, ChunkHeader header) {
    try {
      ChunkReader events = new ChunkReader(source, header, SHAPES);
      for (int shape = events.next(); shape >= 0; shape = events.next()) {
        Sum sum = sum(events.text(METHOD), events.text(DESCRIPTOR));
        if (shape == COUNTS) {
          sum.calls += events.number(CALLS) + events.number(SLOW_CALLS);
          sum.nanos += events.number(TIME) + events.number(SLOW_TIME);
          sum.countedSlow += events.number(SLOW_CALLS);
          sum.countedSlowNanos += events.number(SLOW_TIME);
          addHistogram(events.text(HISTOGRAM), sum.byBound);
        } else {
          long nanos = header.nanosAt(header.startTicks() + events.number(DURATION));
          sum.longest = Math.max(sum.longest, nanos - header.startNanos());
          sum.slowEventNanos += nanos - header.startNanos();
          sum.slowEvents++;
        }
      }
    } catch (IOException e) {
      return; // what was read stands
    }
  }

  private Sum sum(String method, String descriptor) {
    return sums.computeIfAbsent(method + descriptor, key -> new Sum(method, descriptor));
  }

  private static void addHistogram(String histogram, Map<Long, Long> into) {
    for (String part : histogram.split(",")) {
      int equals = part.indexOf('=');
      if (equals < 0) {
        continue;
      }
      String bound = part.substring(0, equals);
      try {
        long calls = Long.parseLong(part.substring(equals + 1));
        into.merge(bound.equals("max") ? Long.MAX_VALUE : Long.parseLong(bound), calls, Long::sum);
      } catch (NumberFormatException e) {
        continue; // damaged: the other calls stand
      }
    }
  }

  boolean isEmpty() {
    return sums.isEmpty();
  }

  /** Those that took most time first. */
  List<Sum> sorted() {
    List<Sum> sorted = new ArrayList<>(sums.values());
    sorted.sort(
        Comparator.comparingLong((Sum sum) -> -sum.nanos())
            .thenComparing(Sum::method)
            .thenComparing(Sum::descriptor));
    return sorted;
  }
}
