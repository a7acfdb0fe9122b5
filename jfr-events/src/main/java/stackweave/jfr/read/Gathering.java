package stackweave.jfr.read;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.read.choice.SampleKind;
import stackweave.jfr.read.choice.WeightUnit;
import stackweave.jfr.read.time.TimeCells;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.status.Coverage;
import stackweave.jfr.status.SamplerFigures;
import stackweave.unwind.hash.LongIndex;

/** Gathers a recording's definitions, and how often each stack was met, in one pass over it. */
final class Gathering extends DefinitionSink {
  private final Path file;
  private final SampledFrame.Change change;

  /** Labels that a message names. */
  private static final int MAX_NAMED = 10;

  private final SampleChoice choice;

  /**
   * By hash of session, thread, kind, state, stack and end; the tallies themselves settle
   * collisions.
   */
  private LongIndex index = new LongIndex();

  private List<SampledRecording.Tally> tallies = new ArrayList<>();
  private final List<SessionData> sessions = new ArrayList<>();

  /** Samples before the definition of their attributes. */
  private final List<EarlySample> early = new ArrayList<>();

  private long badBlocks;
  private long waitingSamples;

  /** Samples of events by the event's name. */
  private final Map<String, Long> eventSamples = new TreeMap<>();

  private long blockedThreads;

  /** Of all samples of CPU time, whether their states are chosen or not. */
  private long cpuNanos;

  /** The states of samples that were left out because of them. */
  private final Set<String> otherStates = new TreeSet<>();

  /** The labels of samples that were left out because of them, and whether there are such. */
  private final Set<String> otherLabels = new TreeSet<>();

  private boolean isAnyLabelOther;

  private SamplerFigures statuses = SamplerFigures.NONE;

  /** Of the statuses with samples; 0 before there is one. */
  private long shortestInterval;

  private long longestInterval;

  private long first = Long.MAX_VALUE;
  private long last = Long.MIN_VALUE;

  /** That of the events that come. */
  private SessionData session;

  private int sessionNumber;

  /** Null if times are not asked for. */
  private TimeCells cells;

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
  private record EarlySample(
      int session, long threadKey, long stackId, long attributesId, long weight, long nanos) {}

  @Override
  public void restart() {
    index = new LongIndex();
    tallies.clear();
    sessions.clear();
    early.clear();
    cells = cells == null ? null : new TimeCells();
    badBlocks = 0;
    waitingSamples = 0;
    eventSamples.clear();
    blockedThreads = 0;
    cpuNanos = 0;
    statuses = SamplerFigures.NONE;
    shortestInterval = 0;
    longestInterval = 0;
    first = Long.MAX_VALUE;
    last = Long.MIN_VALUE;
  }

  @Override
  public void begin(int number) {
    while (sessions.size() <= number) {
      sessions.add(new SessionData(change));
    }
    sessionNumber = number;
    session = sessions.get(number);
  }

  @Override
  public void sample(
      long nanos, long threadKey, int state, long weight, long stackId, int end, long contextId) {
    cpuNanos += weight;
    if (choice.isEvent()) {
      return;
    }
    add(SampleKind.CPU, nanos, threadKey, state, weight, stackId, end, contextId);
  }

  @Override
  public void wallSample(
      long nanos, long threadKey, int state, long weight, long stackId, int end, long contextId) {
    waitingSamples++;
    if (choice.isWall()) {
      add(SampleKind.WAITING, nanos, threadKey, state, weight, stackId, end, contextId);
    }
  }

  @Override
  public void eventSample(
      long nanos,
      long threadKey,
      String event,
      long weight,
      long stackId,
      int end,
      long contextId) {
    eventSamples.merge(event, 1L, Long::sum);
    if (choice.takesEvent(event)) {
      add(SampleKind.EVENT, nanos, threadKey, 0, weight, stackId, end, contextId);
    }
  }

  @Override
  public void blocked(
      long nanos,
      long duration,
      long threadKey,
      int state,
      long stackId,
      int end,
      boolean isOver,
      long wakerKey,
      int wakerPid,
      long wakeDelay,
      long contextId) {
    blockedThreads++;
  }

  private void add(
      SampleKind kind,
      long nanos,
      long threadKey,
      int state,
      long weight,
      long stackId,
      int end,
      long contextId) {
    long context = choice.hasAllLabels() ? 0 : contextId;
    SampledRecording.Tally tally = tally(kind, threadKey, state, stackId, end, context);
    tally.count++;
    tally.weightNanos += weight;
    tally.squares += (double) weight * weight;
    if (cells != null && kind == SampleKind.WAITING) {
      cells.addEnding(tally.series, nanos, weight);
    } else if (cells != null) {
      cells.add(tally.series, nanos, weight);
    }
    first = Math.min(first, nanos);
    last = Math.max(last, nanos);
  }

  @Override
  public void stackSample(
      long nanos, long threadKey, long weight, long stackId, long attributesId) {
    SampleAttributes known = session.attributes(attributesId);
    if (known == null) {
      early.add(new EarlySample(sessionNumber, threadKey, stackId, attributesId, weight, nanos));
    } else {
      sample(nanos, threadKey, weight, stackId, known);
    }
  }

  private void sample(
      long nanos, long threadKey, long weight, long stackId, SampleAttributes known) {
    sample(
        nanos - known.ageNanos(),
        threadKey,
        known.stateCode(),
        weight,
        stackId,
        known.endCode(),
        known.contextId());
  }

  private void takeEarlySamples() {
    for (EarlySample sample : early) {
      begin(sample.session);
      sample(
          sample.nanos,
          sample.threadKey,
          sample.weight,
          sample.stackId,
          session.attributesOrLost(sample.attributesId));
    }
    early.clear();
  }

  @Override
  SessionData current() {
    return session;
  }

  @Override
  void badBlock() {
    badBlocks++;
  }

  /** Blocks of definitions that can't be read. */
  long badBlocks() {
    return badBlocks;
  }

  @Override
  public void session(
      SessionFacts facts,
      String kinds,
      String ends,
      String completeEnds,
      String states,
      String founds,
      String guesses)
      throws RecordingException {
    RecordingException.ifLaterSchema(file, facts.schemaVersion(), facts.agentVersion());
    session.session(facts, kinds, ends, completeEnds, states, founds, guesses);
  }

  @Override
  public void status(SamplerFigures figures) {
    statuses = statuses.plus(figures);
    long interval = figures.get(Counter.INTERVAL);
    if (interval > 0 && figures.get(Counter.TAKEN) > 0) {
      shortestInterval = shortestInterval == 0 ? interval : Math.min(shortestInterval, interval);
      longestInterval = Math.max(longestInterval, interval);
    }
  }

  private SampledRecording.Tally tally(
      SampleKind kind, long threadKey, int state, long stackId, int endCode, long contextId) {
    long hash = stackId;
    hash = hash * 0xD6E8FEB86659FD93L + contextId;
    hash = hash * 0xC2B2AE3D27D4EB4FL + threadKey;
    hash = hash * 0x165667B19E3779F9L + endCode;
    hash = hash * 0x27D4EB2F165667C5L + state + (kind == SampleKind.CPU ? 0 : 1L << 32);
    hash = hash * 0x9E3779B97F4A7C15L + sessionNumber;
    while (true) {
      int position = index.add(hash);
      if (position == tallies.size()) {
        tallies.add(
            new SampledRecording.Tally(
                session,
                threadKey,
                kind,
                state,
                stackId,
                endCode,
                contextId,
                cells == null ? null : cells.series()));
      }
      SampledRecording.Tally tally = tallies.get(position);
      if (tally.session == session
          && tally.threadKey == threadKey
          && tally.kind == kind
          && tally.state == state
          && tally.stackId == stackId
          && tally.endCode == endCode
          && tally.contextId == contextId) {
        return tally;
      }
      hash++;
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

  /** The longest one. */
  long longestInterval() {
    return longestInterval > 0 ? longestInterval : statuses.get(Counter.INTERVAL);
  }

  private boolean hasSamples(SessionData session) {
    for (SampledRecording.Tally tally : tallies) {
      if (tally.session == session) {
        return true;
      }
    }
    return false;
  }

  /** All has been read: joins the definitions. */
  void finish() {
    takeEarlySamples();
    for (SessionData each : sessions) {
      each.finish();
    }
    chooseLabels();
    chooseStates();
    if (choice.unit() == WeightUnit.BYTES) {
      // What was given back altogether has no net growth.
      tallies.removeIf(tally -> tally.weightNanos <= 0);
    }
  }

  /** Contexts may come after the samples that name them. */
  private void chooseLabels() {
    if (choice.hasAllLabels()) {
      return;
    }
    List<SampledRecording.Tally> chosen = new ArrayList<>();
    for (SampledRecording.Tally tally : tallies) {
      Map<String, String> labels = tally.session.context(tally.contextId).all();
      if (choice.takesLabels(labels)) {
        chosen.add(tally);
      } else {
        labels.forEach((key, value) -> otherLabels.add(key + "=" + value));
        isAnyLabelOther = true;
      }
    }
    tallies = chosen;
  }

  /** Legends may come after the samples that need them, so states are chosen at the end. */
  private void chooseStates() {
    if (choice.hasAllStates()) {
      return;
    }
    List<SampledRecording.Tally> chosen = new ArrayList<>();
    for (SampledRecording.Tally tally : tallies) {
      String state = tally.session.state(tally.state);
      if (choice.takesState(state)) {
        chosen.add(tally);
      } else {
        otherStates.add(state);
      }
    }
    tallies = chosen;
  }

  SampleChoice choice() {
    return choice;
  }

  /** Samples of waiting threads, also where they are not chosen. */
  long waitingSamples() {
    return waitingSamples;
  }

  /** Samples of events by the event's name, also where they are not chosen. */
  Map<String, Long> eventSamples() {
    return Map.copyOf(eventSamples);
  }

  /** Events of blocked threads. */
  long blockedThreads() {
    return blockedThreads;
  }

  /** When the samples were taken; null if that was not asked for. */
  TimeCells cells() {
    return cells;
  }

  List<SessionData> sessions() {
    return List.copyOf(sessions);
  }

  /** Of those that say something of their process: chunks without an event of ours don't. */
  List<SessionFacts> facts() {
    List<SessionFacts> facts = new ArrayList<>();
    for (SessionData session : sessions) {
      if (!session.facts().uuid().isEmpty() || hasSamples(session)) {
        facts.add(session.facts());
      }
    }
    return List.copyOf(facts);
  }

  List<SampledRecording.Tally> tallies() {
    return List.copyOf(tallies);
  }

  Instant first() {
    return Instant.ofEpochSecond(0, first);
  }

  Instant last() {
    return Instant.ofEpochSecond(0, last);
  }

  /** Why there is no sample of those that were chosen, for people; empty if there is one. */
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
    if (isAnyLabelOther) {
      return "none of its samples has these labels: "
          + (otherLabels.isEmpty()
              ? "they have none: the application set none, or its threads were not known yet"
              : "it has " + firstOf(otherLabels));
    }
    if (!otherStates.isEmpty()) {
      return "none of its samples is selected: the threads' states are "
          + String.join(", ", otherStates)
          + (waitingSamples > 0 && !choice.isWall()
              ? String.format(
                  Locale.ROOT,
                  "; %,d samples of waiting threads have others (--wall)",
                  waitingSamples)
              : "");
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
    if (coverage.missedNanos() > 0) {
      why.append("; ").append(coverage.start());
    }
    for (String loss : losses) {
      why.append("; ").append(loss);
    }
    return why.toString();
  }
}
