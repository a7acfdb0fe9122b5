package stackweave.jfr.control;

import java.util.List;

/** Receives what the running recordings request. Called by {@link SamplingControl}. */
@FunctionalInterface
public interface SamplingListener {

  /**
   * Samples will be requested in a moment, for the first time: the classes for it can be loaded
   * while events are registered, which takes as long. Called once at most, on a thread of {@link
   * SamplingControl}: it must not block. A request may come without it, and none may follow: the
   * recording can change or end meanwhile.
   */
  default void onFirstAsked() {}

  /**
   * Events are being registered with JFR, until {@link #onRegistered}. Meanwhile no other thread
   * may register or use one for the first time: JFR (JDK 17) initialises an event's class under a
   * lock that the class's initialiser takes, too, so the two would wait for each other. Requests
   * may come in between. Called on a thread of {@link SamplingControl}.
   */
  default void onRegistering() {}

  /** Follows {@link #onRegistering}, whether events could be registered or not. */
  default void onRegistered() {}

  /**
   * The request has changed. Called on a thread of {@link SamplingControl}, one call at a time,
   * holding no lock. It may block; changes that happen meanwhile are then reported late, and only
   * the last of them.
   *
   * @param request what the running recordings request; null for nothing
   */
  void onRequest(SamplingRequest request);

  /**
   * As {@link #onRequest(SamplingRequest)}, with the time of the change.
   *
   * @param asked when it was noticed; if samples were not requested before, when that was first
   *     found, which may be earlier on a busy machine
   */
  default void onRequest(SamplingRequest request, AskedAt asked) {
    onRequest(request);
  }

  /**
   * The notes on settings that were not understood have changed. Called after {@link #onRequest},
   * whose request has the same notes, and also if nothing is requested.
   *
   * @param notes one line each; empty for none
   */
  default void onNotes(List<String> notes) {}

  /**
   * Recordings can't be looked at, because no thread can be started. The next change of a recording
   * tries again, and JFR does once a second if events are registered. Called on the thread that
   * changes a recording, or on JFR's: it must not block.
   */
  default void onNoThread() {}

  /**
   * Recordings can't be looked at, for an unexpected reason; called once. The next change of a
   * recording tries again. Called on any thread: it must not block.
   */
  default void onFailure(Throwable failure) {}
}
