package stackweave.jfr.read;

import java.util.List;
import stackweave.jfr.read.choice.SampleKind;
import stackweave.jfr.read.context.SampledContext;

/**
 * Samples that have all in common but their time, summed.
 *
 * @param session the sampled process
 * @param thread whose stack it is
 * @param kind whether the weight is CPU time
 * @param state label of the thread's state, from the recording's legend
 * @param context what the thread worked for
 * @param end why the stack ends
 * @param frames the thread's first frame first; valid until the next sum is given
 * @param count number of samples
 * @param weightNanos CPU or wall-clock time that they stand for, in ns
 * @param squares sum of the squares of their weights, in ns², for the precision of shares of time
 */
public record SampleSum(
    SessionFacts session,
    StackThread thread,
    SampleKind kind,
    String state,
    SampledContext context,
    StackEnd end,
    List<SampledFrame> frames,
    long count,
    long weightNanos,
    double squares) {
  /** The context's id, 0 for none. */
  public long contextId() {
    return context.id();
  }
}
