package stackweave.jfr.control;

import java.util.List;

/**
 * What the running recordings request together. Immutable.
 *
 * @param event what is sampled, with its interval if it is not CPU time
 * @param intervalNanos CPU time between two samples, in ns: the shortest requested, one of {@link
 *     SamplingSettings#INTERVALS}
 * @param engine {@code auto}, or the name of the requested engine
 * @param depth most frames of a stack: the largest requested, one of {@link
 *     SamplingSettings#DEPTHS}
 * @param wallNanos wall-clock time between two looks at a waiting thread, in ns: the shortest
 *     requested, one of {@link SamplingSettings#WALL_INTERVALS}; 0 if waiting is not to be sampled
 * @param blockedNanos shortest time for which a blocked thread gets an event, in ns: the shortest
 *     requested, one of {@link SamplingSettings#BLOCKED_THRESHOLDS}; 0 for no such events
 * @param memory whether first touches of native memory are to be recorded
 * @param allocations whether blocks of malloc are to be recorded
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
    long wallNanos,
    long blockedNanos,
    boolean memory,
    boolean allocations,
    boolean inMemory,
    List<String> recordings,
    List<String> notes) {
  public SamplingRequest {
    recordings = List.copyOf(recordings);
    notes = List.copyOf(notes);
  }

  /** A request for CPU time. */
  public SamplingRequest(
      long intervalNanos,
      String engine,
      int depth,
      long wallNanos,
      long blockedNanos,
      boolean inMemory,
      List<String> recordings,
      List<String> notes) {
    this(
        SampledEvent.CPU,
        intervalNanos,
        engine,
        depth,
        wallNanos,
        blockedNanos,
        false,
        false,
        inMemory,
        recordings,
        notes);
  }

  /** A request without samples of waiting threads, and without events of blocked ones. */
  public SamplingRequest(
      long intervalNanos,
      String engine,
      int depth,
      boolean inMemory,
      List<String> recordings,
      List<String> notes) {
    this(intervalNanos, engine, depth, 0, 0, inMemory, recordings, notes);
  }

  /** Whether samples taken for {@code other} also satisfy this request. */
  public boolean samplesLike(SamplingRequest other) {
    return other != null
        && event.equals(other.event)
        && intervalNanos == other.intervalNanos
        && engine.equals(other.engine)
        && depth == other.depth
        && wallNanos == other.wallNanos
        && blockedNanos == other.blockedNanos
        && memory == other.memory
        && allocations == other.allocations
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
