package stackweave.jfr.read;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
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

/**
 * Reads recordings back. Definitions may stand anywhere, recordings may be cut short or put
 * together from several processes; what is missing is said, see {@link StackProfile#losses}.
 */
public final class RecordingReader {
  private RecordingReader() {}

  /**
   * Sums up a recording.
   *
   * @throws RecordingException if there is nothing to read: one line, for people
   */
  public static StackProfile profile(Path file) throws RecordingException {
    RecordingEvents events = new RecordingEvents(file);
    Gathering gathering = new Gathering();
    events.read(gathering);
    if (gathering.samples == 0) {
      throw new RecordingException(file + ": " + whyEmpty(gathering, events));
    }
    return gathering.profile(events.losses());
  }

  /**
   * Reads every sample, in the order of the file, which is roughly that of time. The file is read
   * twice: definitions first.
   *
   * @return what is missing in the recording, one line each; empty for nothing
   * @throws RecordingException if there is nothing to read: one line, for people
   */
  public static List<String> forEach(Path file, Consumer<SampledStack> consumer)
      throws RecordingException {
    RecordingEvents events = new RecordingEvents(file);
    Gathering gathering = new Gathering();
    events.read(gathering);
    if (gathering.samples == 0) {
      throw new RecordingException(file + ": " + whyEmpty(gathering, events));
    }
    Replay replay = new Replay(gathering.sessions, consumer);
    events.read(replay);
    return gathering.profile(events.losses()).losses();
  }

  private static String whyEmpty(Gathering gathering, RecordingEvents events) {
    StringBuilder why = new StringBuilder("holds no samples of Stackweave");
    String note = gathering.figures().note();
    if (!note.isEmpty()) {
      why.append("; its agent says: ").append(note.replaceAll("\\s+", " "));
    } else if (gathering.sessions.isEmpty()) {
      why.append(
          "; its JVM ran without -javaagent:stackweave-agent.jar, ended before sampling began, or"
              + " its settings did not ask for samples");
    }
    Coverage coverage = gathering.figures().coverage();
    if (coverage.missedNanos() > 0) {
      why.append("; ").append(coverage.start());
    }
    for (String loss : events.losses()) {
      why.append("; ").append(loss);
    }
    return why.toString();
  }

  /** When the sample was taken: agents whose JVM refused a start time say how old it was then. */
  private static Instant timeOf(RecordedEvent event) {
    Instant start = event.getStartTime();
    if (!event.hasField("age")) {
      return start;
    }
    Duration age = event.getDuration("age");
    return age.isZero() ? start : start.minus(age);
  }

  /** First pass: definitions, and how often each stack was met. */
  private static final class Gathering implements RecordingEvents.Handler {
    /** By hash of session, thread, stack and end; the tallies themselves settle collisions. */
    private LongIndex index = new LongIndex();

    private final List<StackProfile.Tally> tallies = new ArrayList<>();
    final List<SessionData> sessions = new ArrayList<>();
    private SamplerFigures statuses = SamplerFigures.NONE;
    long samples;
    private Instant first = Instant.MAX;
    private Instant last = Instant.MIN;

    @Override
    public void restart() {
      index = new LongIndex();
      tallies.clear();
      sessions.clear();
      statuses = SamplerFigures.NONE;
      samples = 0;
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
      StackProfile.Tally tally = tally(session, number, threadKey, stackId, endCode);
      tally.count++;
      tally.weightNanos += Fields.number(event, "weight");
      samples++;
      Instant time = timeOf(event);
      if (time.isBefore(first)) {
        first = time;
      }
      if (time.isAfter(last)) {
        last = time;
      }
    }

    private StackProfile.Tally tally(
        SessionData session, int number, long threadKey, long stackId, int endCode) {
      long hash = stackId;
      hash = hash * 0xC2B2AE3D27D4EB4FL + threadKey;
      hash = hash * 0x165667B19E3779F9L + endCode;
      hash = hash * 0x9E3779B97F4A7C15L + number;
      while (true) {
        int position = index.add(hash);
        if (position == tallies.size()) {
          tallies.add(new StackProfile.Tally(session, threadKey, stackId, endCode));
        }
        StackProfile.Tally tally = tallies.get(position);
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
      for (StackProfile.Tally tally : tallies) {
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

    StackProfile profile(List<String> losses) {
      List<SessionFacts> facts = new ArrayList<>();
      for (SessionData session : sessions) {
        // Chunks without any event of ours say nothing of their process.
        if (!session.facts().uuid().isEmpty() || hasSamples(session)) {
          facts.add(session.facts());
        }
      }
      return new StackProfile(facts, tallies, figures(), losses, first, last);
    }
  }

  /** Second pass: the samples, with what the first has gathered. */
  private record Replay(List<SessionData> sessions, Consumer<SampledStack> consumer)
      implements RecordingEvents.Handler {

    @Override
    public void restart() {
      throw new IllegalStateException("the recording changed while it was read");
    }

    @Override
    public void event(int sessionNumber, RecordedEvent event) {
      if (!event.getEventType().getName().equals(NativeSample.NAME)) {
        return;
      }
      SessionData session = sessions.get(sessionNumber);
      List<SampledFrame> frames = new ArrayList<>();
      boolean resolved = session.resolve(Fields.number(event, "stackId"), frames);
      consumer.accept(
          new SampledStack(
              session.facts().uuid(),
              timeOf(event),
              session.thread(Fields.number(event, "threadId")),
              session.state(Fields.integer(event, "state")),
              Fields.number(event, "weight"),
              Fields.number(event, "contextId"),
              resolved ? session.end(Fields.integer(event, "end")) : SessionData.lostEnd(),
              List.copyOf(frames)));
    }
  }
}
