package stackweave.jfr.control;

import java.util.List;

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
   * @param asked when it was noticed; where samples are asked for now and were not before, when
   *     that was noticed: the answer may come later on a busy machine
   */
  default void onRequest(SamplingRequest request, AskedAt asked) {
    onRequest(request);
  }

  /**
   * What was not understood in the settings of running recordings has changed. Told after {@link
   * #onRequest}, whose request has the same notes, and also where nothing is asked for.
   *
   * @param notes one line each; empty for nothing
   */
  default void onNotes(List<String> notes) {}
}
