package stackweave.jfr.control;

import java.util.List;

/** Is told what recordings ask of native calls. Implemented by the agent; thread-safe. */
public interface CallListener {
  /**
   * Called on any thread whenever recordings may have changed, also if the request is the same as
   * before; never with one of JFR's locks that the implementation could not take itself.
   *
   * @param request null if no recording asks for native calls
   */
  void onCalls(CallRequest request);

  /** Whether there is something to say. Cheap. */
  boolean hasNotes();

  /** Takes what there is to say for users since the last call, one line each. */
  List<String> takeNotes();
}
