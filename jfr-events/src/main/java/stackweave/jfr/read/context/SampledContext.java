package stackweave.jfr.read.context;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a sampled thread worked for, as the application said. Immutable.
 *
 * @param id unique in its process; 0 for none
 * @param traceId the trace's id, or empty
 * @param spanId the span's id, or empty
 * @param labels all other labels by their keys; unmodifiable
 */
public record SampledContext(
    long id, String traceId, String spanId, SortedMap<String, String> labels) {
  /** The context of samples outside of all scopes, or in one that is not known. */
  public static final SampledContext NONE =
      new SampledContext(0, "", "", Collections.emptySortedMap());

  /** The labels with {@code trace_id} and {@code span_id} where they are not empty. */
  public SortedMap<String, String> all() {
    SortedMap<String, String> all = new TreeMap<>(labels);
    if (!traceId.isEmpty()) {
      all.put("trace_id", traceId);
    }
    if (!spanId.isEmpty()) {
      all.put("span_id", spanId);
    }
    return all;
  }
}
