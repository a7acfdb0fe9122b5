package stackweave.jfr.read;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.read.time.CellSeries;
import stackweave.jfr.read.time.TimeCells;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Coverage;
import stackweave.jfr.status.SamplerFigures;

/**
 * Samples summed by stack: those of one recording, which is a {@link SampledRecording}, or of many
 * together. What exports need that read no file. Not thread-safe.
 */
public interface Profile {
  /** Receives distinct stacks. */
  @FunctionalInterface
  interface StackVisitor {

    /**
     * A distinct stack of a thread.
     *
     * @param thread whose stack it is
     * @param end why the stack ends
     * @param frames the thread's first frame first; valid during the call only
     * @param count number of samples
     * @param weightNanos CPU or wall-clock time that they stand for, in ns
     */
    void stack(
        StackThread thread, StackEnd end, List<SampledFrame> frames, long count, long weightNanos);
  }

  /** Receives distinct stacks with what else their samples have in common. */
  @FunctionalInterface
  interface StackSumVisitor {
    /**
     * A distinct stack of a thread in a state.
     *
     * @param sum the samples that have all that in common, whatever context they are of; its frames
     *     are valid during the call only
     * @param series when they were taken, for {@link #cells}; null if times are not known
     */
    void stack(SampleSum sum, CellSeries series);
  }

  /** Which samples these are. */
  SampleChoice choice();

  /** Number of samples. */
  long samples();

  /** What the samples stand for, in the unit of {@link #choice}: CPU time in ns, if not said. */
  long weightNanos();

  /** The processes that were sampled. */
  List<SessionFacts> sessions();

  /** Time of the first sample. */
  Instant first();

  /** Time of the last sample. */
  Instant last();

  /** The figures of sampling, summed up. */
  SamplerFigures figures();

  /** What is missing, one line each; empty for nothing. */
  List<String> losses();

  /**
   * Visits every distinct stack of a thread and a state, always in the same order. A stack may come
   * in several sums. A method should be one object in all of them: what is kept for each method is
   * kept by identity.
   */
  void forEachStackSum(StackSumVisitor visitor);

  /** Visits the stacks as {@link #forEachStackSum} does. */
  default void forEachStack(StackVisitor visitor) {
    forEachStackSum(
        (sum, series) ->
            visitor.stack(sum.thread(), sum.end(), sum.frames(), sum.count(), sum.weightNanos()));
  }

  /** The time that the samples stand for by the threads' state, in ns, as first met. */
  default Map<String, Long> nanosByState() {
    Map<String, Long> nanos = new LinkedHashMap<>();
    forEachStackSum((sum, series) -> nanos.merge(sum.state(), sum.weightNanos(), Long::sum));
    return nanos;
  }

  /** When samples were taken; empty if that is not known. */
  default Optional<TimeCells> cells() {
    return Optional.empty();
  }

  /** Samples of waiting threads that there are, whether they are among the chosen ones or not. */
  default long waitingSamples() {
    return 0;
  }

  /**
   * Samples of events that there are, by the event's name, whether they are among the chosen ones
   * or not; unmodifiable.
   */
  default Map<String, Long> eventSamples() {
    return Map.of();
  }

  /**
   * The shortest interval between samples of a thread that was asked for while samples were taken,
   * in ns of CPU time; 0 if it is not known.
   */
  default long shortestIntervalNanos() {
    return figures().get(Counter.INTERVAL);
  }

  /** The longest one. */
  default long longestIntervalNanos() {
    return figures().get(Counter.INTERVAL);
  }

  /**
   * What a reader should know of the samples, one line each; empty for nothing: how precise they
   * are, and the agent's notes.
   */
  default List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    if (samples() < 100) { // with fewer shares are too imprecise
      warnings.add(
          samples() + (samples() == 1 ? " sample" : " samples") + " only: shares are rough");
    }
    Coverage coverage = figures().coverage();
    if (coverage.isMuchMissed() && !coverage.missed().isEmpty() && !choice().isEvent()) {
      warnings.add(coverage.missed());
    }
    if (!figures().note().isEmpty()) {
      warnings.add(figures().note());
    }
    return warnings;
  }
}
