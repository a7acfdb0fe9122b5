package stackweave.jfr.control;

import java.util.List;
import stackweave.jfr.call.CallPatterns;

/**
 * What the running recordings ask of native calls, together. Immutable.
 *
 * @param filters the methods that are asked for: those that match any of these
 * @param thresholdNanos the shortest threshold, in ns; calls that take so long get an event
 */
public record CallRequest(List<CallPatterns> filters, long thresholdNanos) {
  public CallRequest {
    filters = List.copyOf(filters);
  }

  /** Whether a method is asked for; class name with dots. */
  public boolean asksFor(String className, String method) {
    for (CallPatterns filter : filters) {
      if (filter.matches(className, method)) {
        return true;
      }
    }
    return false;
  }
}
