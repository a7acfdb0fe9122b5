package stackweave.jfr.read;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import jdk.jfr.consumer.RecordedEvent;
import stackweave.jfr.event.NativeSample;
import stackweave.jfr.status.SamplerFigures;

/**
 * A recording: its sessions, its samples, and what it says of how sampling went. For exports,
 * reports and other programs; docs/reading.md has an example.
 *
 * <p>What is in memory follows the number of distinct stacks, not that of the samples: these are
 * read from the file again for each {@link #forEachSample}. Not thread-safe.
 */
public final class SampledRecording {
  /** Sums of the samples that have session, thread, stack and end in common. */
  static final class Tally {
    final SessionData session;
    final long threadKey;
    final long stackId;
    final int endCode;
    long count;
    long weightNanos;

    Tally(SessionData session, long threadKey, long stackId, int endCode) {
      this.session = session;
      this.threadKey = threadKey;
      this.stackId = stackId;
      this.endCode = endCode;
    }
  }

  /** Of fewer samples a share of a tenth may as well be one of a twentieth. */
  private static final long FEW = 100;

  private final RecordingEvents events;
  private final List<SessionData> data;
  private final List<SessionFacts> sessions;
  private final List<Tally> tallies;
  private final SamplerFigures figures;
  private final List<String> losses;
  private final Instant first;
  private final Instant last;
  private final long samples;
  private final long weightNanos;
  private final long unresolved;

  private SampledRecording(RecordingEvents events, Gathering gathering) {
    this.events = events;
    this.data = gathering.sessions();
    this.sessions = gathering.facts();
    this.tallies = gathering.tallies();
    this.figures = gathering.figures();
    this.first = gathering.first();
    this.last = gathering.last();
    long samples = 0;
    long weight = 0;
    long unresolved = 0;
    for (Tally tally : tallies) {
      samples += tally.count;
      weight += tally.weightNanos;
      if (!tally.session.isResolved(tally.stackId) || !tally.session.hasThread(tally.threadKey)) {
        unresolved += tally.count;
      }
    }
    this.samples = samples;
    this.weightNanos = weight;
    this.unresolved = unresolved;
    List<String> all = new ArrayList<>(events.losses());
    if (unresolved > 0) {
      all.add(unresolved + " of " + samples + " samples lack part of their stack or thread");
    }
    this.losses = List.copyOf(all);
  }

  /**
   * Opens a recording. Definitions may stand anywhere in it; it may be cut short or put together
   * from several processes: what is missing is in {@link #losses}.
   *
   * @throws RecordingException if there is nothing to read: one line, for people
   */
  public static SampledRecording open(Path file) throws RecordingException {
    RecordingEvents events = new RecordingEvents(file);
    Gathering gathering = new Gathering();
    events.read(gathering);
    if (gathering.tallies().isEmpty()) {
      throw new RecordingException(file + ": " + gathering.whyEmpty(events.losses()));
    }
    gathering.finish();
    return new SampledRecording(events, gathering);
  }

  /** The processes that were sampled. */
  public List<SessionFacts> sessions() {
    return sessions;
  }

  /** What the sampler said about itself. */
  public SamplerFigures figures() {
    return figures;
  }

  /** What is missing in the recording, one line each; empty for nothing. */
  public List<String> losses() {
    return losses;
  }

  /**
   * What a reader should know of the samples that are there, one line each; empty for nothing: how
   * far they can be trusted, and what the agent noted.
   */
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    if (samples < FEW) {
      warnings.add(samples + (samples == 1 ? " sample" : " samples") + " only: shares are rough");
    }
    if (figures.coverage().isMuchMissed()) {
      warnings.add(figures.coverage().start());
    }
    if (!figures.note().isEmpty()) {
      warnings.add(figures.note());
    }
    return warnings;
  }

  /** Number of samples. */
  public long samples() {
    return samples;
  }

  /** CPU or wall-clock time that the samples stand for. */
  public long weightNanos() {
    return weightNanos;
  }

  /** Samples whose stack or thread is not wholly in the recording. */
  public long unresolved() {
    return unresolved;
  }

  /** Time of the first sample. */
  public Instant first() {
    return first;
  }

  /** Time of the last sample. */
  public Instant last() {
    return last;
  }

  /**
   * Visits every sample, in the order of the file, which is roughly that of time. One at a time is
   * in memory.
   *
   * @throws RecordingException if the file can't be read any more: one line, for people
   */
  public void forEachSample(Consumer<Sample> consumer) throws RecordingException {
    events.read(new Replay(data, consumer));
  }

  /** Visits every distinct stack, in the order in which they were first met. */
  public void forEachStack(StackVisitor visitor) {
    List<SampledFrame> frames = new ArrayList<>();
    for (Tally tally : tallies) {
      boolean resolved = tally.session.resolve(tally.stackId, frames);
      visitor.stack(
          tally.session.thread(tally.threadKey),
          resolved ? tally.session.end(tally.endCode) : SessionData.lostEnd(),
          frames,
          tally.count,
          tally.weightNanos);
    }
  }

  /** The samples, with the definitions that were gathered before. */
  private record Replay(List<SessionData> sessions, Consumer<Sample> consumer)
      implements RecordingEvents.Handler {

    @Override
    public void restart() throws RecordingException {
      throw new RecordingException("the recording changed while it was read");
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
          new Sample(
              session.facts(),
              Gathering.timeOf(event),
              session.thread(Fields.number(event, "threadId")),
              session.state(Fields.integer(event, "state")),
              Fields.number(event, "weight"),
              Fields.number(event, "contextId"),
              resolved ? session.end(Fields.integer(event, "end")) : SessionData.lostEnd(),
              Collections.unmodifiableList(frames)));
    }
  }
}
