package stackweave.jfr.read;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import stackweave.jfr.status.SamplerFigures;

/**
 * A whole recording, summed up: how often each stack of each thread was met. Its size follows the
 * number of distinct stacks, not of samples. Immutable once read; not thread-safe while visited.
 */
public final class StackProfile {
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

  private final List<SessionFacts> sessions;
  private final List<Tally> tallies;
  private final SamplerFigures figures;
  private final List<String> losses;
  private final Instant first;
  private final Instant last;
  private final long samples;
  private final long weightNanos;
  private final long unresolved;

  StackProfile(
      List<SessionFacts> sessions,
      List<Tally> tallies,
      SamplerFigures figures,
      List<String> losses,
      Instant first,
      Instant last) {
    this.sessions = List.copyOf(sessions);
    this.tallies = List.copyOf(tallies);
    this.figures = figures;
    this.first = first;
    this.last = last;
    long samples = 0;
    long weight = 0;
    long unresolved = 0;
    List<SampledFrame> frames = new ArrayList<>();
    for (Tally tally : tallies) {
      samples += tally.count;
      weight += tally.weightNanos;
      if (!tally.session.resolve(tally.stackId, frames)
          || !tally.session.hasThread(tally.threadKey)) {
        unresolved += tally.count;
      }
    }
    this.samples = samples;
    this.weightNanos = weight;
    this.unresolved = unresolved;
    List<String> all = new ArrayList<>(losses);
    if (unresolved > 0) {
      all.add(unresolved + " of " + samples + " samples lack part of their stack or thread");
    }
    this.losses = List.copyOf(all);
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

  /** Visits every distinct stack, in the order in which they were first met. */
  public void forEach(StackVisitor visitor) {
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
}
