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
}
