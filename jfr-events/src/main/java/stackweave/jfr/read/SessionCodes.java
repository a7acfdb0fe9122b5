package stackweave.jfr.read;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import stackweave.jfr.event.ThreadState;

/**
 * What the codes of a session mean, from the legends in its event: texts such as {@code
 * 0=native,1=kernel}. Not thread-safe.
 *
 * @hidden no part of the API
 */
public final class SessionCodes {
  private final Map<Integer, String> kinds;
  private final Map<Integer, String> endLabels;
  private final List<String> completeEnds;
  private final Map<Integer, String> states;
  private final Map<Integer, String> founds;
  private final List<String> guesses;
  private final Map<Integer, StackEnd> ends = new HashMap<>();
  private final Map<Integer, FoundWay> ways = new HashMap<>();

  /**
   * Reads the texts of the session's event.
   *
   * @param kinds of frames
   * @param ends of stacks
   * @param completeEnds codes of ends at which a stack reached the thread's first frame
   * @param states of threads
   * @param founds how frames were found
   * @param guesses codes of those ways that can lead to a wrong frame
   */
  public SessionCodes(
      String kinds,
      String ends,
      String completeEnds,
      String states,
      String founds,
      String guesses) {
    this.kinds = legend(kinds);
    this.endLabels = legend(ends);
    this.completeEnds = List.of(completeEnds.split(",", -1));
    this.states = legend(states);
    this.founds = legend(founds);
    this.guesses = List.of(guesses.split(",", -1));
  }

  /** The labels of codes; what is not understood is left out. */
  private static Map<Integer, String> legend(String text) {
    Map<Integer, String> labels = new HashMap<>();
    for (String entry : text.split(",", -1)) {
      int equals = entry.indexOf('=');
      try {
        if (equals > 0) {
          labels.put(Integer.parseInt(entry.substring(0, equals)), entry.substring(equals + 1));
        }
      } catch (NumberFormatException e) {
        // Another event, or one of a later version: the code is shown as a number.
        continue;
      }
    }
    return labels;
  }

  private static String label(Map<Integer, String> legend, String what, int code) {
    String label = legend.get(code);
    return label != null ? label : what + " " + code;
  }

  /** The label of a kind of frames. */
  public String kind(int code) {
    return label(kinds, "kind", code);
  }

  /** The end of a stack. Allocates nothing for a known one. */
  public StackEnd end(int code) {
    StackEnd end = ends.get(code);
    if (end == null) {
      boolean isComplete = completeEnds.contains(Integer.toString(code));
      end = new StackEnd(label(endLabels, "end", code), isComplete);
      ends.put(code, end);
    }
    return end;
  }

  /** The label of a thread's state. */
  String state(int code) {
    String label = states.get(code);
    return label != null ? label : ThreadState.label(code);
  }

  /** How a frame was found. */
  FoundWay found(int code) {
    return code == 0
        ? FoundWay.TABLES
        : ways.computeIfAbsent(
            code,
            key ->
                new FoundWay(label(founds, "found", key), guesses.contains(Integer.toString(key))));
  }
}
