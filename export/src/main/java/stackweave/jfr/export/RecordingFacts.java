package stackweave.jfr.export;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.SessionFacts;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.read.choice.WeightUnit;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.SamplerFigures;

/** Facts that readers of a recording need beside its stacks, for all exports and reports. */
public final class RecordingFacts {
  /** Marks a fact that is shown in colour. */
  private static final String WARN = "warn";

  private RecordingFacts() {}

  /** Facts about the recording, each a label, a text and a mark; label and mark may be empty. */
  public static List<List<String>> of(SampledRecording recording) {
    List<List<String>> facts = new ArrayList<>();
    Set<String> jdks = new LinkedHashSet<>();
    for (SessionFacts session : recording.sessions()) {
      if (!session.jdk().isEmpty()) {
        jdks.add(session.jdk() + (session.abi().isEmpty() ? "" : ", " + session.abi()));
      }
    }
    if (!jdks.isEmpty()) {
      facts.add(List.of("", String.join("; ", jdks)));
    }
    if (recording.sessions().size() > 1) {
      facts.add(List.of("Processes", Integer.toString(recording.sessions().size())));
    }
    facts.add(List.of("Samples", Texts.count(recording.samples())));
    Duration length = Duration.between(recording.first(), recording.last());
    facts.add(List.of("Over", Texts.seconds(Texts.nanos(length))));
    if (!recording.figures().engine().isEmpty()) {
      facts.add(List.of("Engine", recording.figures().engine()));
    }
    if (recording.choice().isEvent()) {
      addEventFacts(recording, facts);
    } else {
      addTimeFacts(recording, facts);
    }
    addCompleteStacks(recording, facts);
    return facts;
  }

  private static void addTimeFacts(SampledRecording recording, List<List<String>> facts) {
    SamplerFigures figures = recording.figures();
    boolean isWall = recording.choice().isWall();
    long reached = figures.get(Counter.INTERVAL_REACHED);
    if (figures.get(Counter.INTERVAL) > 0) {
      facts.add(
          List.of(
              "Interval",
              reached > figures.get(Counter.INTERVAL)
                  ? Texts.of(
                      "asked %s, about %s: this kernel's clock tick",
                      intervals(recording), Timespans.format(reached))
                  : intervals(recording)));
    }
    if (isWall) {
      long every = figures.get(Counter.WALL_INTERVAL);
      if (every > 0) {
        facts.add(List.of("Waiting looked at every", Timespans.format(every)));
      }
      facts.add(List.of(label(recording), Texts.seconds(recording.weightNanos())));
    } else if (recording.waitingSamples() > 0) {
      long waiting = recording.waitingSamples();
      facts.add(
          List.of("Waiting", Texts.of("%,d samples more, which --wall and --state show", waiting)));
    }
    if (!recording.eventSamples().isEmpty()) {
      String events = String.join(", ", recording.eventSamples().keySet());
      facts.add(List.of("Events", events + ", which --event shows"));
    }
    long used = figures.get(Counter.CPU_USED);
    if (used > 0) {
      long covered = figures.get(Counter.CPU_COVERED);
      facts.add(
          List.of(
              "CPU time covered",
              Texts.of(
                  "%s of %s used (%s)",
                  Texts.seconds(covered), Texts.seconds(used), percent(covered, used)),
              figures.coverage().isPoor() ? WARN : ""));
    } else if (recording.weightNanos() > 0 && !isWall) {
      facts.add(List.of("CPU time", Texts.seconds(recording.weightNanos())));
    }
    if (!figures.coverage().start().isEmpty() && !figures.coverage().isMuchMissed()) {
      facts.add(List.of("", figures.coverage().start())); // otherwise it is a note, in colour
    }
  }

  /** Adds the event, how many of them occurred, and how many the samples stand for. */
  private static void addEventFacts(SampledRecording recording, List<List<String>> facts) {
    SampleChoice choice = recording.choice();
    facts.add(List.of("Event", choice.type()));
    boolean isOfEvents = choice.unit() == WeightUnit.EVENTS;
    long interval = recording.figures().get(Counter.EVENT_INTERVAL);
    if (isOfEvents && interval > 0) {
      facts.add(List.of("Interval", Texts.of("%,d events", interval)));
    }
    facts.add(List.of("Weight", choice.unit().text(recording.weightNanos())));
    long counted = recording.figures().get(Counter.EVENTS_COUNTED);
    if (isOfEvents && counted > 0) {
      facts.add(List.of("Counted by the kernel", Texts.count(counted)));
    }
  }

  private static void addCompleteStacks(SampledRecording recording, List<List<String>> facts) {
    boolean byTime = recording.choice().isByWeight();
    long all = byTime ? recording.weightNanos() : recording.samples();
    long[] complete = new long[2];
    long[] unread = new long[1];
    recording.forEachStack(
        (thread, end, frames, count, weight) -> {
          boolean guessed = frames.stream().anyMatch(frame -> frame.found().isGuess());
          complete[guessed ? 1 : 0] += !end.isComplete() ? 0 : byTime ? weight : count;
          unread[0] += end.isRead() ? 0 : byTime ? weight : count;
        });
    long read = all - unread[0];
    facts.add(List.of("Complete stacks", percent(complete[0], read)));
    if (complete[1] > 0) {
      facts.add(List.of("Complete with guessed frames", percent(complete[1], read)));
    }
    if (unread[0] > 0) {
      facts.add(List.of("Time without a stack", percent(unread[0], all)));
    }
  }

  /** The interval of the samples, or its range. */
  private static String intervals(SampledRecording recording) {
    String shortest = Timespans.format(recording.shortestIntervalNanos());
    String longest = Timespans.format(recording.longestIntervalNanos());
    return shortest.equals(longest) ? shortest : shortest + " to " + longest;
  }

  /** What the weights of its samples are. */
  public static String label(SampledRecording recording) {
    SampleChoice choice = recording.choice();
    return choice.isEvent() ? choice.type() : choice.isWall() ? "Wall time" : "CPU time";
  }

  /** What a reader must know to interpret the figures, one sentence each; empty for nothing. */
  public static List<String> notes(SampledRecording recording) {
    List<String> notes = new ArrayList<>(recording.losses());
    notes.addAll(recording.warnings());
    SamplerFigures figures = recording.figures();
    for (Counter counter : Counter.values()) {
      boolean counts = recording.choice().isWall() || !counter.isOfWaiting();
      if (counts && !counter.inExports().isEmpty() && figures.get(counter) > 0) {
        String text = counter.inExports();
        text = recording.choice().isEvent() ? text.replace(" by CPU time", "") : text;
        notes.add(Texts.of("%,d %s.", figures.get(counter), text));
      }
    }
    if (figures.get(Counter.CPU_KERNEL) > 0 && !recording.choice().isEvent()) {
      notes.add(
          Texts.of(
              "About %s of the CPU time was spent in the kernel and not sampled.",
              percent(figures.get(Counter.CPU_KERNEL), figures.get(Counter.CPU_USED))));
    }
    return notes;
  }

  /** A percentage that is never rounded up to 100 %. */
  private static String percent(long part, long all) {
    if (part == all) {
      return "100 %";
    }
    double percent = Math.floor(10_000.0 * part / all) / 100;
    return Texts.of("%.2f %%", percent);
  }
}
