package stackweave.jfr.store;

import stackweave.jfr.event.Context;

/**
 * What a context id means. Immutable.
 *
 * @param traceId the trace's id, or empty
 * @param spanId the span's id, or empty
 * @param labels all other labels, as {@link Context#labels} has them
 */
public record ContextDefinition(String traceId, String spanId, String labels) {
  /** Whether it says nothing. */
  public boolean isEmpty() {
    return characters() == 0;
  }

  int characters() {
    return traceId.length() + spanId.length() + labels.length();
  }
}
