package stackweave.agent.decode;

import stackweave.jfr.status.Counters;
import stackweave.unwind.StopReason;
import stackweave.unwind.snapshot.SpliceOutcome;
import stackweave.unwind.walk.Found;

/** Counts of samples by outcome since the agent started. Written by the drain thread only. */
public final class SampleCounts {
  /** Counters of samples. */
  public final Counters counters = new Counters();

  /** Written samples, indexed by {@link StopReason#code}. */
  public final long[] ends = new long[maxCode() + 1];

  /** Stacks, indexed by the ordinal of {@link SpliceOutcome}. */
  public final long[] splices = new long[SpliceOutcome.values().length];

  /** Frames of written samples, indexed by {@link Found#code}; those by tables are not counted. */
  public final long[] found = new long[Found.values().length];

  /** The exception of the last sample that could not be decoded; null if none. */
  public Throwable lastFailure;

  /** Uses no stream: this runs before sampling begins, and the first stream takes 5 ms. */
  private static int maxCode() {
    int max = 0;
    for (StopReason reason : StopReason.values()) {
      max = Math.max(max, reason.code());
    }
    return max;
  }
}
