package stackweave.jfr.control;

import java.util.List;

/**
 * What the running recordings together ask for.
 *
 * @param intervalNanos CPU time between two samples, in nanoseconds: the shortest asked for, one of
 *     {@link SamplingSettings#INTERVALS}
 * @param engine {@code auto}, or the name of the engine asked for
 * @param depth most frames of one stack: the largest asked for, one of {@link
 *     SamplingSettings#DEPTHS}
 * @param inMemory whether one of the recordings is kept in memory only: its oldest events vanish
 *     without a chunk ending
 * @param recordings who asks, for people: the recordings' names
 * @param notes settings that were not understood or could not be followed, one line each
 */
public record SamplingRequest(
    long intervalNanos,
    String engine,
    int depth,
    boolean inMemory,
    List<String> recordings,
    List<String> notes) {
  public SamplingRequest {
    recordings = List.copyOf(recordings);
    notes = List.copyOf(notes);
  }

  /** Whether samples taken for {@code other} are just what this asks for. */
  public boolean samplesLike(SamplingRequest other) {
    return other != null
        && intervalNanos == other.intervalNanos
        && engine.equals(other.engine)
        && depth == other.depth
        && inMemory == other.inMemory;
  }
}
