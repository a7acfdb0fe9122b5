package stackweave.jfr.export;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.read.Profile;
import stackweave.jfr.read.SessionFacts;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.read.choice.WeightUnit;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.SamplerFigures;

/** Facts that readers of a profile need beside its stacks, for all exports and reports. */
public final class RecordingFacts {
  /** A profile may have JVMs of many releases. */
  private static final int MAX_JDKS = 5;

  /** Marks a fact that is shown in colour. */
  private static final String WARN = "warn";

  private RecordingFacts() {}

  /** Facts about a profile, each a label, a text and a mark; label and mark may be empty. */
  public static List<List<String>> of(Profile profile) {
    List<List<String>> facts = new ArrayList<>();
    Set<String> jdks = new LinkedHashSet<>();
    for (SessionFacts session : profile.sessions()) {
      if (!session.jdk().isEmpty()) {
        jdks.add(session.jdk() + (session.abi().isEmpty() ? "" : ", " + session.abi()));
      }
    }
    if (!jdks.isEmpty()) {
      String first = jdks.stream().limit(MAX_JDKS).collect(Collectors.joining("; "));
      int more = jdks.size() - MAX_JDKS;
      facts.add(List.of("", more > 0 ? Texts.of("%s; %,d other JDKs", first, more) : first));
    }
    if (profile.sessions().size() > 1) {
      facts.add(List.of("Processes", Texts.count(profile.sessions().size())));
    }
    facts.add(List.of("Samples", Texts.count(profile.samples())));
    Duration length = Duration.between(profile.first(), profile.last());
    facts.add(List.of("Over", Texts.seconds(Texts.nanos(length))));
    if (!profile.figures().engine().isEmpty()) {
      facts.add(List.of("Engine", profile.figures().engine()));
    }
    if (profile.choice().isEvent()) {
      addEventFacts(profile, facts);
    } else {
      addTimeFacts(profile, facts);
    }
    addCompleteStacks(profile, facts);
    return facts;
  }

  private static void addTimeFacts(Profile profile, List<List<String>> facts) {
    SamplerFigures figures = profile.figures();
    boolean isWall = profile.choice().isWall();
    long reached = figures.get(Counter.INTERVAL_REACHED);
    if (figures.get(Counter.INTERVAL) > 0) {
      facts.add(
          List.of(
              "Interval",
              reached > figures.get(Counter.INTERVAL)
                  ? Texts.of(
                      "asked %s, about %s: this kernel's clock tick",
                      intervals(profile), Timespans.format(reached))
                  : intervals(profile)));
    }
    if (isWall) {
      long every = figures.get(Counter.WALL_INTERVAL);
      if (every > 0) {
        facts.add(List.of("Waiting looked at every", Timespans.format(every)));
      }
      facts.add(List.of(label(profile), Texts.seconds(profile.weightNanos())));
    } else if (profile.waitingSamples() > 0) {
      long waiting = profile.waitingSamples();
      facts.add(
          List.of("Waiting", Texts.of("%,d samples more, which --wall and --state show", waiting)));
    }
    if (!profile.eventSamples().isEmpty()) {
      String events = String.join(", ", profile.eventSamples().keySet());
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
    } else if (profile.weightNanos() > 0 && !isWall) {
      facts.add(List.of("CPU time", Texts.seconds(profile.weightNanos())));
    }
    if (!figures.coverage().missed().isEmpty() && !figures.coverage().isMuchMissed()) {
      facts.add(List.of("", figures.coverage().missed())); // otherwise it is a note, in colour
    }
  }

  /** Adds the event, how many of them occurred, and how many the samples stand for. */
  private static void addEventFacts(Profile profile, List<List<String>> facts) {
    SampleChoice choice = profile.choice();
    facts.add(List.of("Event", choice.type()));
    boolean isOfEvents = choice.unit() == WeightUnit.EVENTS;
    long interval = profile.figures().get(Counter.EVENT_INTERVAL);
    if (isOfEvents && interval > 0) {
      facts.add(List.of("Interval", Texts.of("%,d events", interval)));
    }
    if (!choice.isCounted()) {
      facts.add(List.of("Weight", choice.unit().text(profile.weightNanos())));
    }
    long counted = profile.figures().get(Counter.EVENTS_COUNTED);
    if (isOfEvents && counted > 0) {
      facts.add(List.of("Counted by the kernel", Texts.count(counted)));
    }
  }

  private static void addCompleteStacks(Profile profile, List<List<String>> facts) {
    boolean byTime = profile.choice().isByWeight();
    long all = byTime ? profile.weightNanos() : profile.samples();
    long[] complete = new long[2];
    long[] unread = new long[1];
    profile.forEachStack(
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
  private static String intervals(Profile profile) {
    String shortest = Timespans.format(profile.shortestIntervalNanos());
    String longest = Timespans.format(profile.longestIntervalNanos());
    return shortest.equals(longest) ? shortest : shortest + " to " + longest;
  }

  /** What the weights of its samples are. */
  public static String label(Profile profile) {
    SampleChoice choice = profile.choice();
    return choice.isEvent() ? choice.type() : choice.isWall() ? "Wall time" : "CPU time";
  }

  /** What a reader must know to interpret the figures, one sentence each; empty for nothing. */
  public static List<String> notes(Profile profile) {
    List<String> notes = new ArrayList<>(profile.losses());
    notes.addAll(profile.warnings());
    SamplerFigures figures = profile.figures();
    for (Counter counter : Counter.values()) {
      boolean counts = profile.choice().isWall() || !counter.isOfWaiting();
      if (counts && !counter.inExports().isEmpty() && figures.get(counter) > 0) {
        String text = counter.inExports();
        text = profile.choice().isEvent() ? text.replace(" by CPU time", "") : text;
        notes.add(Texts.of("%,d %s.", figures.get(counter), text));
      }
    }
    if (figures.get(Counter.CPU_KERNEL) > 0 && !profile.choice().isEvent()) {
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
