package stackweave.lab.chaos;

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
import stackweave.lab.chaos.antagonist.Forks;
import stackweave.lab.recording.PlainDefinitions;
import stackweave.lab.recording.PlainSamples;

/** What the recordings of one run contain, read with the JDK's own reader. */
final class Recorded {
  /** How far the clocks of a sample and of a child's birth and end may differ. */
  private static final long SLACK_MILLIS = 50;

  private static final int UNKNOWN_END = -1;

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

  private final Map<Integer, String> ends = new HashMap<>();
  private final Set<Integer> completeEnds = new HashSet<>();
  private final Map<Long, Long> osThreads = new HashMap<>();

  /** Of the recording that is being read. */
  private PlainDefinitions definitions = new PlainDefinitions();

  private final Map<Long, List<long[]>> children = new HashMap<>();

  /** Samples of that recording by their attributes. */
  private final Map<Long, Long> byAttributes = new HashMap<>();

  /** Samples by the code of their end. */
  private final Map<Integer, Long> byEnd = new HashMap<>();

  private final Instant begin;
  private final Instant end;

  /** Only where there were children: threadId and time in ms since 1970 of each sample. */
  private final List<long[]> times = new ArrayList<>();

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
    recorded.finish();
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

  private void read(Path recording, Set<String> events) throws IOException {
    recordings++;
    try (RecordingFile file = new RecordingFile(recording)) {
      while (file.hasMoreEvents()) {
        add(file.readEvent(), events);
      }
    }
    definitions.threads.forEach((key, thread) -> osThreads.put(key, thread.osThreadId()));
    byAttributes.forEach(
        (id, count) -> {
          // Of a crashed JVM the definition may be missing.
          PlainDefinitions.Attributes attributes = definitions.attributes.get(id);
          byEnd.merge(attributes == null ? UNKNOWN_END : attributes.end(), count, Long::sum);
        });
    byAttributes.clear();
    definitions = new PlainDefinitions();
  }

  /** Resolves what could not be told while reading; call it when all events were read. */
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
      case "stackweave.StackSample" -> taken(event);
      case "stackweave.SamplerStatus" -> status(event);
      case PlainDefinitions.EVENT -> definitions.add(event);
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
    completeEnds.addAll(PlainSamples.completeEnds(event));
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

  private void taken(RecordedEvent event) {
    samples++;
    byAttributes.merge(event.getLong("attributesId"), 1L, Long::sum);
    Instant time = event.getStartTime();
    atOtherTimes += time.isBefore(begin) || time.isAfter(end) ? 1 : 0;
    if (!children.isEmpty()) {
      times.add(new long[] {event.getLong("threadId"), event.getStartTime().toEpochMilli()});
    }
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
