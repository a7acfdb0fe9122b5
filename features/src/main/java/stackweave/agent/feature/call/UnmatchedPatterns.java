package stackweave.agent.feature.call;

import java.util.ArrayList;
import java.util.List;
import stackweave.jfr.call.CallPatterns;

/**
 * Tells users which patterns of the option {@code calls}, or of a recording's filter, match no
 * method, perhaps because of a misspelt class. Used on the drain thread at chunk ends. Thread-safe.
 */
final class UnmatchedPatterns {
  /** Most patterns that the note names. */
  private static final int MAX_NAMES = 5;

  private final String of;
  private final WrappedMethods methods;

  /** The patterns that have matched nothing yet; guarded by this, as is the next field. */
  private final List<CallPatterns> left;

  private boolean said;

  /**
   * @param of origin of the patterns, for people
   */
  UnmatchedPatterns(String of, List<CallPatterns> patterns, WrappedMethods methods) {
    this.of = of;
    this.methods = methods;
    this.left = new ArrayList<>();
    for (CallPatterns each : patterns) {
      left.addAll(each.each());
    }
  }

  /**
   * The present note. A recording keeps its last note that is not empty, so one that became wrong
   * is withdrawn by another.
   *
   * @return empty for none
   */
  synchronized String note() {
    left.removeIf(pattern -> methods.hasMatch(pattern));
    if (left.isEmpty()) {
      return said ? of + ": each pattern has matched a native method by now" : "";
    }
    said = true;
    StringBuilder note = new StringBuilder(of).append(": ");
    for (int i = 0; i < Math.min(MAX_NAMES, left.size()); i++) {
      note.append(i == 0 ? "" : CallPatterns.SEPARATOR).append(left.get(i));
    }
    if (left.size() > MAX_NAMES) {
      note.append(" and ").append(left.size() - MAX_NAMES).append(" more patterns");
    }
    return note.append(": no class loaded so far has such a native method that can be timed")
        .toString();
  }
}
