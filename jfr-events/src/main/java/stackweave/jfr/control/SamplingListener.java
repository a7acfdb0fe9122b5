package stackweave.jfr.control;

/** Told what the running recordings ask for. */
@FunctionalInterface
public interface SamplingListener {

  /**
   * What is asked for has changed.
   *
   * <p>Called on a thread of {@link SamplingControl}, one call at a time, with no lock held. It may
   * block, though changes that happen meanwhile are then told late, and only the last of them.
   *
   * @param request what the running recordings ask for; null for nothing
   */
  void onRequest(SamplingRequest request);

  /**
   * The same, with the time of the change, for those who want to know it.
   *
   * @param askedNanos when it was noticed, on the clock of {@link System#nanoTime}; the answer may
   *     come later on a busy machine
   */
  default void onRequest(SamplingRequest request, long askedNanos) {
    onRequest(request);
  }
}
