package stackweave.lab.chaos;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import jdk.jfr.consumer.RecordedEvent;
import stackweave.lab.chaos.antagonist.Forks;
import stackweave.lab.recording.PlainDefinitions.SampledThread;
import stackweave.lab.recording.PlainRecording;

/** What the recordings of one run contain, read with the JDK's own reader. */
final class Recorded {
  /** How far the clocks of a sample and of a child's birth and end may differ. */
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

  /** Samples whose time is before the JVM's start or after its end. */
  long atOtherTimes;

  final Set<String> engines = new TreeSet<>();
  final Set<String> reasons = new TreeSet<>();
  final Set<String> notes = new TreeSet<>();

  /** Number of incomplete stacks, by the reason for which they end. */
  final Map<String, Long> early = new TreeMap<>();

  /** Number of events of the other names that were asked for. */
  final Map<String, Long> counted = new TreeMap<>();

  private final Map<Long, List<long[]>> children = new HashMap<>();

  private final Instant begin;
  private final Instant end;

  /**
   * Reads all recordings in a directory.
   *
   * @param events names of the events to count
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
    return recorded;
  }

  private Recorded(Instant begin, Instant end) {
    this.begin = begin.minusMillis(SLACK_MILLIS);
    this.end = end.plusMillis(SLACK_MILLIS);
  }

  /** The figures of a run whose recordings can't be read: all 0. */
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

  private void read(Path file, Set<String> events) throws IOException {
    recordings++;
    PlainRecording recording = PlainRecording.of(file);
    for (String name : events) {
      int count = recording.events(name).size();
      if (count > 0) {
        counted.merge(name, (long) count, Long::sum);
      }
    }
    recording.statuses.forEach(this::status);
    for (RecordedEvent sample : recording.samples) {
      samples++;
      if (recording.isComplete(sample)) {
        complete++;
      } else {
        early.merge(recording.end(recording.endOf(sample)), 1L, Long::sum);
      }
      Instant time = sample.getStartTime();
      atOtherTimes += time.isBefore(begin) || time.isAfter(end) ? 1 : 0;
      ofChildren += isOfChild(recording.threadOf(sample), time.toEpochMilli()) ? 1 : 0;
    }
  }

  private boolean isOfChild(SampledThread thread, long millis) {
    long tid = thread == null ? 0 : thread.osThreadId();
    return children.getOrDefault(tid, List.of()).stream()
        .anyMatch(child -> millis >= child[1] - SLACK_MILLIS && millis <= child[2] + SLACK_MILLIS);
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

  /** Share of complete stacks in the samples written, from 0 to 1. */
  double completeShare() {
    return samples == 0 ? 0 : (double) complete / samples;
  }

  /**
   * CPU time that the samples stand for, as a share of all that was used while samples were taken.
   */
  double coveredShare() {
    return cpuUsedNanos == 0 ? 0 : (double) cpuCoveredNanos / cpuUsedNanos;
  }
}
