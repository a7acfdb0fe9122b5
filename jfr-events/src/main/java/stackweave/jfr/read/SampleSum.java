package stackweave.jfr.read;

import java.util.List;
import stackweave.jfr.read.choice.SampleKind;
import stackweave.jfr.read.context.SampledContext;

/** The sum of samples that differ only in their time. */
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
