package stackweave.jfr.control;

import java.util.List;
import java.util.Map;

/**
 * What the running recordings request together. Immutable.
 *
 * @param event what is sampled, with its interval if it is not CPU time
 * @param intervalNanos CPU time between two samples, in ns: the shortest requested, one of {@link
 *     SamplingSettings#INTERVALS}
 * @param engine {@code auto}, or the name of the requested engine
 * @param depth most frames of a stack: the largest requested, one of {@link
 *     SamplingSettings#DEPTHS}
 * @param features what is to be recorded beside samples, with the shortest time requested in ns, or
 *     {@link SampledFeature#ON} where it has none
 * @param inMemory whether one of the recordings is in memory only, where the oldest events vanish
 *     without a chunk ending
 * @param recordings the names of the requesting recordings
 * @param notes settings that were not understood or could not be followed, one line each
 */
public record SamplingRequest(
    SampledEvent event,
    long intervalNanos,
    String engine,
    int depth,
    Map<SampledFeature, Long> features,
    boolean inMemory,
    List<String> recordings,
    List<String> notes) {
  public SamplingRequest {
    features = Map.copyOf(features);
    recordings = List.copyOf(recordings);
    notes = List.copyOf(notes);
  }

  /** A request for CPU time and nothing beside it. */
  public SamplingRequest(
      long intervalNanos,
      String engine,
      int depth,
      boolean inMemory,
      List<String> recordings,
      List<String> notes) {
    this(SampledEvent.CPU, intervalNanos, engine, depth, Map.of(), inMemory, recordings, notes);
  }

  /**
   * The request of one recording on the disk.
   *
   * @param name the recording's
   * @param settings its settings of events, by event, '#' and setting; what they leave open is
   *     {@link SamplingDefaults#STANDARD}
   * @return null if it asks for no samples
   */
  public static SamplingRequest of(String name, Map<String, String> settings) {
    SamplingRule.Facts recording = new SamplingRule.Facts(name, true, true, true, true, settings);
    return new SamplingRule(false, SamplingDefaults.STANDARD)
        .decide(List.of(recording), EventIds.NONE);
  }

  /** The time that is requested of a feature; {@link SampledFeature#OFF} if it is not requested. */
  public long valueOf(SampledFeature feature) {
    return features.getOrDefault(feature, SampledFeature.OFF);
  }

  /** Whether samples taken for {@code other} also satisfy this request. */
  public boolean samplesLike(SamplingRequest other) {
    return other != null
        && event.equals(other.event)
        && intervalNanos == other.intervalNanos
        && engine.equals(other.engine)
        && depth == other.depth
        && features.equals(other.features)
        && inMemory == other.inMemory;
  }

  // The equals of a record is linked at its first call, by 70 classes made at run time: on a busy
  // machine that delays the first sample by some 60 ms.

  @Override
  public boolean equals(Object object) {
    return object instanceof SamplingRequest other
        && samplesLike(other)
        && recordings.equals(other.recordings)
        && notes.equals(other.notes);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(intervalNanos) + 31 * recordings.hashCode();
  }
}
