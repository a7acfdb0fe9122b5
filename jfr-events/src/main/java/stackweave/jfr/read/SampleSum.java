package stackweave.jfr.read;

import java.util.List;
import stackweave.jfr.read.choice.SampleKind;
import stackweave.jfr.read.context.SampledContext;

/**
 * The sum of samples that differ only in their time. Immutable, but for the frames where a
 * visitor's documentation says so.
 *
 * @param session the sampled process
 * @param thread whose stack it is
 * @param kind what the weight is
 * @param event name of the event; empty for samples of time
 * @param state label of the thread's state, from the recording's legend
 * @param context what the thread worked for; none where sums are over all contexts
 * @param end why the stack ends
 * @param frames the thread's first frame first
 * @param count number of samples
 * @param weightNanos time that they stand for, in ns; of events their number, or bytes
 * @param squares sum of the squares of the samples' weights
 */
public record SampleSum(
    SessionFacts session,
    StackThread thread,
    SampleKind kind,
    String event,
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
