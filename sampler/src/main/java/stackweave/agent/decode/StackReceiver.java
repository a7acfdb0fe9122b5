package stackweave.agent.decode;

import stackweave.unwind.StopReason;

/** Receives the stack that {@link SamplePipeline#decode} has made of a sample. */
public interface StackReceiver {
  /**
   * A stack of the store's present generation.
   *
   * @param threadId the thread's key in the store
   * @param stackId the innermost frame's node; 0 for a stack without frames
   * @param end why the stack ends
   * @param contextId what the thread worked for in the store; 0 where that is not known
   */
  void stack(long threadId, long stackId, StopReason end, long contextId);
}
