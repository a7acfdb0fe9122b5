package stackweave.agent.drain.sample;

import java.util.Arrays;
import stackweave.jfr.status.Counters;
import stackweave.unwind.StopReason;
import stackweave.unwind.snapshot.SpliceOutcome;

/** What became of the samples since the agent began. Belongs to the drain thread. */
public final class SampleCounts {
  public final Counters counters = new Counters();

  /** Written samples by the code of their end. */
  public final long[] ends =
      new long[Arrays.stream(StopReason.values()).mapToInt(StopReason::code).max().orElse(0) + 1];

  /** Older parts of stacks by what became of them, by ordinal. */
  public final long[] splices = new long[SpliceOutcome.values().length];

  /** Why the last undecodable sample was undecodable; null while there was none. */
  public Throwable lastFailure;
}
