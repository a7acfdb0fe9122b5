package stackweave.jfr.control;

import java.util.List;

/**
 * What the running recordings together ask for.
 *
 * @param intervalNanos CPU time between two samples, in nanoseconds: the shortest asked for, from
 *     {@link #MIN_INTERVAL_NANOS} to {@link #MAX_INTERVAL_NANOS}
 * @param engine {@code auto}, or the name of the engine asked for; not checked here
 * @param depth most frames of one stack: the largest asked for, from 1 to {@link #MAX_DEPTH}
 * @param inMemory whether one of the recordings is kept in memory only: its oldest events vanish
 *     without a chunk ending
 * @param recordings who asks, for people: the recordings' names
 * @param notes settings that could not be followed, one line each
 */
public record SamplingRequest(
    long intervalNanos,
    String engine,
    int depth,
    boolean inMemory,
    List<String> recordings,
    List<String> notes) {
  /** The shortest interval: 10,000 samples a second and CPU. */
  public static final long MIN_INTERVAL_NANOS = 100_000L;

  public static final long MAX_INTERVAL_NANOS = 60_000_000_000L;

  /** 100 samples a second and CPU. */
  public static final long DEFAULT_INTERVAL_NANOS = 10_000_000L;

  public static final String DEFAULT_ENGINE = "auto";

  /** Room for a recursion of 2,000 calls with what it is made of; a column buffer of 100 KB. */
  public static final int DEFAULT_DEPTH = 4096;

  public static final int MAX_DEPTH = 8192;

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
