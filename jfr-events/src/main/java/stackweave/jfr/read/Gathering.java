package stackweave.jfr.read;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import stackweave.jfr.event.Frame;
import stackweave.jfr.event.Method;
import stackweave.jfr.event.NativeLibrary;
import stackweave.jfr.event.NativeSample;
import stackweave.jfr.event.SampledThread;
import stackweave.jfr.event.SamplerStatus;
import stackweave.jfr.event.Session;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.status.Coverage;
import stackweave.jfr.status.SamplerFigures;
import stackweave.jfr.table.LongIndex;

/** Gathers a recording's definitions, and how often each stack was met, in one pass over it. */
final class Gathering implements RecordingEvents.Handler {
  /** By hash of session, thread, stack and end; the tallies themselves settle collisions. */
  private LongIndex index = new LongIndex();

  private final List<SampledRecording.Tally> tallies = new ArrayList<>();
  private final List<SessionData> sessions = new ArrayList<>();
  private SamplerFigures statuses = SamplerFigures.NONE;
  private Instant first = Instant.MAX;
  private Instant last = Instant.MIN;

  @Override
  public void restart() {
    index = new LongIndex();
    tallies.clear();
    sessions.clear();
    statuses = SamplerFigures.NONE;
    first = Instant.MAX;
    last = Instant.MIN;
  }

  @Override
  public void event(int sessionNumber, RecordedEvent event) {
    while (sessions.size() <= sessionNumber) {
      sessions.add(new SessionData());
    }
    SessionData session = sessions.get(sessionNumber);
    switch (event.getEventType().getName()) {
      case NativeSample.NAME -> sample(session, sessionNumber, event);
      case Frame.NAME -> session.frame(event);
      case Method.NAME -> session.method(event);
      case SampledThread.NAME -> session.thread(event);
      case NativeLibrary.NAME -> session.module(event);
      case Session.NAME -> session.session(event);
      case SamplerStatus.NAME -> statuses = statuses.plus(Fields.figures(event));
      default -> {
        // From a later version.
      }
    }
  }

  private void sample(SessionData session, int number, RecordedEvent event) {
    long threadKey = Fields.number(event, "threadId");
    long stackId = Fields.number(event, "stackId");
    int endCode = Fields.integer(event, "end");
    SampledRecording.Tally tally = tally(session, number, threadKey, stackId, endCode);
    tally.count++;
    tally.weightNanos += Fields.number(event, "weight");
    Instant time = timeOf(event);
    if (time.isBefore(first)) {
      first = time;
    }
    if (time.isAfter(last)) {
      last = time;
    }
  }

  private SampledRecording.Tally tally(
      SessionData session, int number, long threadKey, long stackId, int endCode) {
    long hash = stackId;
    hash = hash * 0xC2B2AE3D27D4EB4FL + threadKey;
    hash = hash * 0x165667B19E3779F9L + endCode;
    hash = hash * 0x9E3779B97F4A7C15L + number;
    while (true) {
      int position = index.add(hash);
      if (position == tallies.size()) {
        tallies.add(new SampledRecording.Tally(session, threadKey, stackId, endCode));
      }
      SampledRecording.Tally tally = tallies.get(position);
      if (tally.session == session
          && tally.threadKey == threadKey
          && tally.stackId == stackId
          && tally.endCode == endCode) {
        return tally;
      }
      hash++;
    }
  }

  /** What the statuses say, all together. */
  SamplerFigures figures() {
    long weights = 0;
    for (SampledRecording.Tally tally : tallies) {
      weights += tally.weightNanos;
    }
    if (weights <= statuses.get(Counter.CPU_COVERED)) {
      return statuses;
    }
    // The last status is missing: of a JVM that was killed, or a recording that goes on.
    Counters counters = statuses.counters();
    long used = counters.get(Counter.CPU_MISSED) + weights;
    counters.set(Counter.CPU_COVERED, weights);
    counters.set(Counter.CPU_USED, Math.max(counters.get(Counter.CPU_USED), used));
    return statuses.with(counters);
  }

  private boolean hasSamples(SessionData session) {
    return tallies.stream().anyMatch(tally -> tally.session == session);
  }

  /** All has been read: joins the definitions. */
  void finish() {
    sessions.forEach(SessionData::finish);
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
    return first;
  }

  Instant last() {
    return last;
  }

  /** Why there is no sample, for people. */
  String whyEmpty(List<String> losses) {
    StringBuilder why = new StringBuilder("holds no samples of Stackweave");
    String note = figures().note();
    if (!note.isEmpty()) {
      why.append("; its agent says: ").append(note.replaceAll("\\s+", " "));
    } else if (sessions.isEmpty()) {
      why.append(
          "; its JVM ran without -javaagent:stackweave-agent.jar, ended before sampling began, or"
              + " its settings did not ask for samples");
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

  /** When the sample was taken: agents whose JVM refused a start time say how old it was then. */
  static Instant timeOf(RecordedEvent event) {
    Instant start = event.getStartTime();
    if (!event.hasField("age")) {
      return start;
    }
    Duration age = event.getDuration("age");
    return age.isZero() ? start : start.minus(age);
  }
}
