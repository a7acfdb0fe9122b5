package stackweave.jfr.read;

import java.util.List;

/** Receives the distinct stacks of a recording. */
@FunctionalInterface
public interface StackVisitor {

  /**
   * A distinct stack of a thread.
   *
   * @param thread whose stack it is
   * @param end why the stack ends
   * @param frames the thread's first frame first; valid during the call only
   * @param count number of samples
   * @param weightNanos CPU or wall-clock time that they stand for, in ns
   */
  void stack(
      StackThread thread, StackEnd end, List<SampledFrame> frames, long count, long weightNanos);
}
