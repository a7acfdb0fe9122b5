package stackweave.jfr.read;

import java.util.List;

/**
 * What the codes of a session mean. Immutable.
 *
 * @param kinds of frames
 * @param ends of stacks
 * @param completeEnds codes of ends at which a stack reached the thread's first frame
 * @param states of threads
 * @param founds how frames were found
 * @param guesses codes of those ways that can lead to a wrong frame
 */
record SessionCodes(
    Legend kinds,
    Legend ends,
    List<String> completeEnds,
    Legend states,
    Legend founds,
    List<String> guesses) {
  /** Of a session whose event is missing. */
  static final SessionCodes NONE = of("", "", "", "", "", "");

  /** The same from the texts of the session's event. */
  static SessionCodes of(
      String kinds,
      String ends,
      String completeEnds,
      String states,
      String founds,
      String guesses) {
    return new SessionCodes(
        new Legend("kind", kinds),
        new Legend("end", ends),
        List.of(completeEnds.split(",", -1)),
        new Legend("state", states),
        new Legend("found", founds),
        List.of(guesses.split(",", -1)));
  }
}
