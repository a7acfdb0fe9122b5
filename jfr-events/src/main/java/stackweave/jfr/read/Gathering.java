package stackweave.jfr.read;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkReader;
import stackweave.jfr.chunk.ChunkSource;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.read.choice.JdkEvent;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.read.choice.WeightUnit;
import stackweave.jfr.read.jdk.JdkProcess;
import stackweave.jfr.read.jdk.JdkSamples;
import stackweave.jfr.read.time.TimeCells;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.status.Coverage;
import stackweave.jfr.status.SamplerFigures;

/** Collects a recording's definitions, and the number of samples of each stack, in one pass. */
final class Gathering implements RecordingEvents.Sink {
  /** Labels that a message names. */
  private static final int MAX_NAMED = 10;

  private final Path file;
  private final SampledFrame.Change change;
  final SampleChoice choice;
  final Map<SampleTally.Key, SampleTally> tallies = new LinkedHashMap<>();
  final List<SessionData> sessions = new ArrayList<>();

  /** Samples before the definition of their attributes. */
  private final List<EarlySample> early = new ArrayList<>();

  /** Blocks of definitions that can't be read. */
  long badBlocks;

  /** Samples of waiting threads, whether they are chosen or not. */
  long waitingSamples;

  /** Samples of events by the event's name, whether they are chosen or not. */
  final Map<String, Long> eventSamples = new TreeMap<>();

  /** Events of blocked threads. */
  long blockedThreads;

  /** CPU time of all samples, whether their states are chosen or not, in ns. */
  private long cpuNanos;

  /** The states of samples that were left out because of them. */
  private final Set<String> otherStates = new TreeSet<>();

  /** The labels of samples that were left out because of them, and whether there are such. */
  private final Set<String> otherLabels = new TreeSet<>();

  private boolean isAnyLabelOther;

  private SamplerFigures statuses = SamplerFigures.NONE;

  /** Intervals of the statuses with samples, in ns; 0 before the first one. */
  private long shortestInterval;

  private long longestInterval;

  private long first = Long.MAX_VALUE;
  private long last = Long.MIN_VALUE;

  /** The session of the events that follow. */
  private SessionData session;

  private int sessionNumber;

  /** When the samples were taken; null if that was not asked for. */
  final TimeCells cells;

  /**
   * @param timed whether samples are counted by time, too
   * @param change what becomes of each frame
   * @param choice which samples are gathered
   */
  Gathering(Path file, boolean timed, SampledFrame.Change change, SampleChoice choice) {
    this.choice = choice;
    this.file = file;
    this.cells = timed ? new TimeCells() : null;
    this.change = change;
  }

  /** A sample whose attributes are not known yet. */
  private record EarlySample(int session, SampleRecord sample) {}

  @Override
  public void begin(int number) {
    while (sessions.size() <= number) {
      sessions.add(new SessionData(change));
    }
    sessionNumber = number;
    session = sessions.get(number);
  }

  @Override
  public void sample(SampleRecord sample) {
    if (sample.attributesId != EventDecoder.NO_ATTRIBUTES) {
      SessionData.Attributes known = session.attributes(sample.attributesId);
      if (known == null) {
        early.add(new EarlySample(sessionNumber, sample));
        return;
      }
      known.giveTo(sample);
    }
    switch (sample.kind) {
      case CPU -> cpuNanos += sample.weight;
      case WALL -> waitingSamples++;
      case EVENT, MEMORY, ALLOCATION -> eventSamples.merge(sample.event, 1L, Long::sum);
      case BLOCKED -> blockedThreads++;
    }
    if (SampleTally.isChosen(choice, sample)) {
      add(sample);
    }
  }

  private void add(SampleRecord sample) {
    SampleTally tally =
        tallies.computeIfAbsent(
            key(sessionNumber, sample),
            key -> new SampleTally(cells == null ? null : cells.series()));
    tally.add(sample.weight);
    if (cells != null && sample.kind == SampleRecord.Kind.WALL) {
      cells.addEnding(tally.series, sample.timeNanos, sample.weight);
    } else if (cells != null) {
      cells.add(tally.series, sample.timeNanos, sample.weight);
    }
    first = Math.min(first, sample.timeNanos);
    last = Math.max(last, sample.timeNanos);
  }

  /** What a sample has in common with all others of its tally. */
  SampleTally.Key key(int number, SampleRecord sample) {
    return SampleTally.Key.of(number, sample, choice.hasAllLabels() ? 0 : sample.contextId);
  }

  private void takeEarlySamples() {
    for (EarlySample each : early) {
      begin(each.session);
      session.attributesOrLost(each.sample.attributesId).giveTo(each.sample);
      sample(each.sample);
    }
    early.clear();
  }

  /**
   * Takes the event that {@code event} is at, of a shape behind {@link EventDecoder#BLOCKED}.
   *
   * @throws RecordingException if the recording is of a schema that came later
   */
  void define(int shape, ChunkReader event) throws IOException, RecordingException {
    if (shape == EventDecoder.STATUS) {
      status(EventDecoder.figures(event));
      return;
    }
    badBlocks += EventDecoder.define(shape, event, session) ? 0 : 1;
    if (shape == EventDecoder.SESSION) {
      SessionFacts facts = session.facts();
      RecordingException.ifLaterSchema(file, facts.schemaVersion(), facts.agentVersion());
    }
  }

  /** Takes the stacks of a chunk's samples that JFR or another profiler took, and its process. */
  void define(JdkSamples jdk, int chunk, int number, ChunkSource source, ChunkHeader header)
      throws IOException {
    begin(number);
    jdk.define(chunk, source, header, number, session);
    if (session.facts().uuid().isEmpty()) {
      JdkProcess process = jdk.process(chunk);
      session.session(
          new SessionFacts(
              process.uuid(),
              process.pid(),
              process.start(),
              process.schema(),
              process.jdk(),
              process.abi(),
              process.agent()),
          new SessionCodes(
              JdkSamples.KINDS,
              JdkSamples.ENDS,
              JdkSamples.COMPLETE_ENDS,
              JdkEvent.STATES,
              "",
              ""));
    }
  }

  private void status(SamplerFigures figures) {
    statuses = statuses.plus(figures);
    long interval = figures.get(Counter.INTERVAL);
    if (interval > 0 && figures.get(Counter.TAKEN) > 0) {
      shortestInterval = shortestInterval == 0 ? interval : Math.min(shortestInterval, interval);
      longestInterval = Math.max(longestInterval, interval);
    }
  }

  /** What the statuses say, all together. */
  SamplerFigures figures() {
    if (cpuNanos <= statuses.get(Counter.CPU_COVERED)) {
      return statuses;
    }
    // The last status is missing: of a JVM that was killed, or a recording that goes on.
    Counters counters = statuses.counters();
    long used = counters.get(Counter.CPU_MISSED) + cpuNanos;
    counters.set(Counter.CPU_COVERED, cpuNanos);
    counters.set(Counter.CPU_USED, Math.max(counters.get(Counter.CPU_USED), used));
    return statuses.with(counters);
  }

  /** The shortest interval at which samples were taken, in ns; 0 if no status says one. */
  long shortestInterval() {
    return shortestInterval > 0 ? shortestInterval : statuses.get(Counter.INTERVAL);
  }

  /** The longest interval at which samples were taken, in ns; 0 if no status says one. */
  long longestInterval() {
    return longestInterval > 0 ? longestInterval : statuses.get(Counter.INTERVAL);
  }

  /** All has been read: joins the definitions. */
  void finish() {
    takeEarlySamples();
    for (SessionData each : sessions) {
      each.finish();
    }
    // Contexts and legends may come after the samples that need them.
    tallies.keySet().removeIf(key -> !takesLabels(key) || !takesState(key));
    if (choice.unit() == WeightUnit.BYTES) {
      // Memory that was given back has no net growth.
      tallies.values().removeIf(tally -> tally.weightNanos <= 0);
    }
  }

  private boolean takesLabels(SampleTally.Key key) {
    if (choice.hasAllLabels()) {
      return true;
    }
    Map<String, String> labels = session(key).context(key.contextId()).all();
    boolean takes = choice.takesLabels(labels);
    if (!takes) {
      labels.forEach((name, value) -> otherLabels.add(name + "=" + value));
      isAnyLabelOther = true;
    }
    return takes;
  }

  private boolean takesState(SampleTally.Key key) {
    String state = session(key).state(key.state());
    boolean takes = choice.takesState(state);
    if (!takes) {
      otherStates.add(state);
    }
    return takes;
  }

  private SessionData session(SampleTally.Key key) {
    return sessions.get(key.session());
  }

  /** The sessions with facts or samples. A chunk without an event of the agent has none. */
  List<SessionFacts> facts() {
    List<SessionFacts> facts = new ArrayList<>();
    for (int i = 0; i < sessions.size(); i++) {
      int number = i;
      SessionFacts own = sessions.get(i).facts();
      if (!own.uuid().isEmpty()
          || tallies.keySet().stream().anyMatch(key -> key.session() == number)) {
        facts.add(own);
      }
    }
    return List.copyOf(facts);
  }

  Instant first() {
    return Instant.ofEpochSecond(0, first);
  }

  Instant last() {
    return Instant.ofEpochSecond(0, last);
  }

  /** Whether the file has no sample of the agent at all. */
  boolean isWithoutAgent() {
    return cpuNanos == 0
        && waitingSamples == 0
        && eventSamples.isEmpty()
        && tallies.isEmpty()
        && otherStates.isEmpty()
        && !isAnyLabelOther;
  }

  /**
   * Why no chosen sample of JFR's own or another profiler exists, for people; empty if one does.
   *
   * @param jdk what is read
   * @param ofAgent why there is none of the agent, if one was asked for first; else empty
   */
  String whyEmptyOfJdk(JdkSamples jdk, String ofAgent, List<String> losses) {
    if (!tallies.isEmpty()) {
      return "";
    }
    if (isAnyLabelOther || !otherStates.isEmpty()) {
      return whyNoneChosen();
    }
    StringBuilder why = new StringBuilder(ofAgent.isEmpty() ? "holds " : ofAgent + "; it has ");
    why.append(jdk.whyNone());
    for (String loss : ofAgent.isEmpty() ? losses : List.<String>of()) {
      why.append("; ").append(loss);
    }
    return why.toString();
  }

  /** Why no chosen sample exists, for people; empty if one does. */
  String whyEmpty(List<String> losses) {
    boolean isWaitingMissing =
        choice.isWall() && waitingSamples == 0 && statuses.get(Counter.WALL_INTERVAL) == 0;
    if (isWaitingMissing && (!tallies.isEmpty() || !otherStates.isEmpty())) {
      return "holds no samples of waiting threads, since none were asked for: record --wall 20ms, or"
          + " the setting "
          + WallSample.NAME
          + "#enabled=true";
    }
    if (!tallies.isEmpty()) {
      return "";
    }
    if (isAnyLabelOther || !otherStates.isEmpty()) {
      return whyNoneChosen();
    }
    if (waitingSamples > 0 && !choice.isWall()) {
      return String.format(
          Locale.ROOT,
          "holds no samples of CPU time, but %,d of waiting threads: --wall shows them",
          waitingSamples);
    }
    if (!eventSamples.isEmpty()) {
      return withEventsOnly();
    }
    if (choice.isEvent() && cpuNanos > 0) {
      return withoutChosen() + ", but samples of CPU time";
    }
    return whyWithout(losses);
  }

  /** Why samples that exist are not chosen by their labels or states. */
  private String whyNoneChosen() {
    if (isAnyLabelOther) {
      return "none of its samples has these labels: "
          + (otherLabels.isEmpty()
              ? "they have none: the application set none, or its threads were not known yet"
              : "it has " + firstOf(otherLabels));
    }
    return "none of its samples is selected: the threads' states are "
        + String.join(", ", otherStates)
        + (waitingSamples > 0 && !choice.isWall()
            ? String.format(
                Locale.ROOT,
                "; %,d samples of waiting threads have others (--wall)",
                waitingSamples)
            : "");
  }

  private static String firstOf(Set<String> labels) {
    String first = labels.stream().limit(MAX_NAMED).collect(Collectors.joining(", "));
    int more = labels.size() - MAX_NAMED;
    return more > 0 ? first + " and " + more + " more" : first;
  }

  private String withEventsOnly() {
    StringBuilder others = new StringBuilder();
    eventSamples.forEach(
        (event, count) ->
            others
                .append(others.length() == 0 ? "" : ", ")
                .append(String.format(Locale.ROOT, "%,d of event %s", count, event)));
    return withoutChosen()
        + ", but "
        + others
        + ": --event "
        + eventSamples.keySet().iterator().next()
        + " shows them";
  }

  private String withoutChosen() {
    return "holds no samples of " + (choice.isEvent() ? "event " : "") + choice.time();
  }

  private String whyWithout(List<String> losses) {
    String note = figures().note();
    boolean isOther = choice.isEvent() || choice.isWall();
    boolean isKnown = note.isEmpty() && !sessions.isEmpty();
    StringBuilder why =
        new StringBuilder(isKnown && isOther ? withoutChosen() : "holds no samples of Stackweave");
    if (!note.isEmpty()) {
      why.append("; its agent says: ").append(note.replaceAll("\\s+", " "));
    } else if (sessions.isEmpty()) {
      why.append(
          "; its JVM ran without -javaagent:stackweave-agent.jar, ended before sampling began, or"
              + " its settings did not ask for samples; or the agent did not start and said so on"
              + " stderr (a small heap, a wrong option); or merge --only left them out");
    } else if (!isOther && statuses.get(Counter.INTERVAL) > 0) {
      double seconds = statuses.get(Counter.CPU_USED) / 1e9;
      why.append(String.format(Locale.ROOT, "; its threads used %.3f s of CPU time", seconds));
    }
    Coverage coverage = figures().coverage();
    if (!coverage.missed().isEmpty()) {
      why.append("; ").append(coverage.missed());
    }
    for (String loss : losses) {
      why.append("; ").append(loss);
    }
    return why.toString();
  }
}
