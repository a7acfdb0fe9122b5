package stackweave.jfr.read;

import java.time.Instant;
import java.util.List;
import stackweave.jfr.read.choice.SampleKind;
import stackweave.jfr.read.context.SampledContext;

/**
 * One sample, with everything that its recording has of it. Immutable.
 *
 * @param session the sampled process
 * @param time when it was taken
 * @param thread whose stack it is
 * @param kind what the weight is
 * @param state label of the thread's state, from the recording's legend
 * @param weightNanos CPU or wall-clock time that it stands for, in ns; of events their number, or
 *     bytes
 * @param context what the thread worked for
 * @param end why the stack ends
 * @param frames the thread's first frame first
 */
public record Sample(
    SessionFacts session,
    Instant time,
    StackThread thread,
    SampleKind kind,
    String state,
    long weightNanos,
    SampledContext context,
    StackEnd end,
    List<SampledFrame> frames) {
  /** The context's id, 0 for none. */
  public long contextId() {
    return context.id();
  }
}
