package stackweave.verify.chaos;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import stackweave.verify.chaos.antagonist.Forks;

/** What the recordings of one run say, read with the JDK's own reader. */
final class Recorded {
  /** What two clocks may differ by. */
  private static final long SLACK_MILLIS = 50;

  long samples;
  long complete;
  long taken;
  long written;
  long lost;
  long dropped;
  long undecodable;
  long cpuUsedNanos;
  long cpuCoveredNanos;
  long recordings;

  /** Samples of a process that is not the JVM. */
  long ofChildren;

  /** Samples before the JVM's start or after its end, by their own account. */
  long atOtherTimes;

  final Set<String> engines = new TreeSet<>();
  final Set<String> reasons = new TreeSet<>();
  final Set<String> notes = new TreeSet<>();

  /** Stacks that end early, by the reason. */
  final Map<String, Long> early = new TreeMap<>();

  /** Events of other names, those that were asked for. */
  final Map<String, Long> counted = new TreeMap<>();

  private final Map<Integer, String> ends = new HashMap<>();
  private final Set<Integer> completeEnds = new HashSet<>();
  private final Map<Long, Long> osThreads = new HashMap<>();
  private final Map<Long, List<long[]>> children = new HashMap<>();

  /** Samples by the code of their end. */
  private final Map<Integer, Long> byEnd = new HashMap<>();

  private final Instant begin;
  private final Instant end;

  /** Where there were children: threadId and time in ms since 1970 of each sample. */
  private final List<long[]> times = new ArrayList<>();

  /**
   * Reads all recordings in a directory.
   *
   * @param events whose number is wanted
   * @param begin of the run
   * @param end of the run
   */
  static Recorded in(Path directory, Set<String> events, Instant begin, Instant end)
      throws IOException {
    Recorded recorded = new Recorded(begin, end);
    recorded.readChildren(directory.resolve(Forks.CHILDREN));
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "recording*.jfr")) {
      for (Path file : files) {
        recorded.read(file, events);
      }
    }
    recorded.finish();
    return recorded;
  }

  private Recorded(Instant begin, Instant end) {
    this.begin = begin.minusMillis(SLACK_MILLIS);
    this.end = end.plusMillis(SLACK_MILLIS);
  }

  /** What is known of a run whose recordings can't be read. */
  static Recorded nothing() {
    return new Recorded(Instant.MIN.plusSeconds(1), Instant.MAX.minusSeconds(1));
  }

  private void readChildren(Path file) throws IOException {
    if (!Files.exists(file)) {
      return;
    }
    for (String line : Files.readAllLines(file)) {
      long[] child = Arrays.stream(line.split(" ")).mapToLong(Long::parseLong).toArray();
      if (child.length == 3) { // the last line of a crashed JVM may be cut
        children.computeIfAbsent(child[0], pid -> new ArrayList<>()).add(child);
      }
    }
  }

  private void read(Path recording, Set<String> events) throws IOException {
    recordings++;
    try (RecordingFile file = new RecordingFile(recording)) {
      while (file.hasMoreEvents()) {
        add(file.readEvent(), events);
      }
    }
  }

  /** When all that explains the samples has been read. */
  private void finish() {
    byEnd.forEach(
        (end, count) -> {
          if (completeEnds.contains(end)) {
            complete += count;
          } else {
            early.merge(ends.getOrDefault(end, "end " + end), count, Long::sum);
          }
        });
    for (long[] sample : times) {
      long tid = osThreads.getOrDefault(sample[0], 0L);
      for (long[] child : children.getOrDefault(tid, List.of())) {
        boolean lived =
            sample[1] >= child[1] - SLACK_MILLIS && sample[1] <= child[2] + SLACK_MILLIS;
        ofChildren += lived ? 1 : 0;
      }
    }
    times.clear();
  }

  private void add(RecordedEvent event, Set<String> events) {
    String name = event.getEventType().getName();
    switch (name) {
      case "stackweave.NativeSample" -> sample(event);
      case "stackweave.SamplerStatus" -> status(event);
      case "stackweave.Thread" ->
          osThreads.put(event.getLong("threadId"), event.getLong("osThreadId"));
      case "stackweave.Session" -> session(event);
      default -> {
        if (events.contains(name)) {
          counted.merge(name, 1L, Long::sum);
        }
      }
    }
  }

  private void session(RecordedEvent event) {
    for (String entry : event.getString("endLegend").split(",")) {
      String[] sides = entry.strip().split("=", 2);
      ends.put(Integer.parseInt(sides[0]), sides[1]);
    }
    Arrays.stream(event.getString("completeEnds").split(","))
        .forEach(code -> completeEnds.add(Integer.parseInt(code.strip())));
  }

  private void status(RecordedEvent event) {
    engines.add(event.getString("engine"));
    reasons.add(event.getString("engineReason"));
    String note = event.getString("note");
    if (note != null && !note.isEmpty()) {
      notes.add(note);
    }
    taken += event.getLong("taken");
    written += event.getLong("written");
    lost += event.getLong("lost");
    dropped += event.getLong("dropped");
    undecodable += event.getLong("undecodable");
    cpuUsedNanos += event.getLong("cpuUsed") - event.getLong("cpuMissed");
    cpuCoveredNanos += event.getLong("cpuCovered");
  }

  private void sample(RecordedEvent event) {
    samples++;
    byEnd.merge(event.getInt("end"), 1L, Long::sum);
    Instant time = event.getStartTime();
    atOtherTimes += time.isBefore(begin) || time.isAfter(end) ? 1 : 0;
    if (!children.isEmpty()) {
      times.add(new long[] {event.getLong("threadId"), event.getStartTime().toEpochMilli()});
    }
  }

  /** Share of the complete in those that were written, from 0 to 1. */
  double completeShare() {
    return samples == 0 ? 0 : (double) complete / samples;
  }

  /** CPU time that samples stand for, in all that was used while samples were taken. */
  double coveredShare() {
    return cpuUsedNanos == 0 ? 0 : (double) cpuCoveredNanos / cpuUsedNanos;
  }
}
