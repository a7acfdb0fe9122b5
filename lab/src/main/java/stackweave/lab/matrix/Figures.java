package stackweave.lab.matrix;

import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;

/**
 * The figures of one phase or of a whole run.
 *
 * @param phase its name
 * @param written samples that the sampler says it wrote
 * @param lost samples that the kernel or the engine reported lost
 * @param dropped samples delivered and not written
 * @param undecodable samples not understood
 * @param recorded samples in the recording
 * @param complete samples in the recording whose stack reaches the thread's first frame
 * @param early samples in the recording that are not complete, by the end of their stack
 * @param pairs adjacent frames of two Java methods that were checked, each counted once for each
 *     sample
 * @param bad those of which the caller's bytecode calls another method
 * @param unchecked those of which nothing can be said
 * @param marked samples with a frame in the place of another that is not known: {@code [missing
 *     frame]} or {@code [stale code]}
 * @param frames frames unwound
 * @param unwindNanos time that this took
 * @param cpuUsedNanos CPU time of all threads while samples were taken
 * @param cpuCoveredNanos CPU time that the samples stand for
 */
record Figures(
    String phase,
    long written,
    long lost,
    long dropped,
    long undecodable,
    long recorded,
    long complete,
    Map<String, Long> early,
    long pairs,
    long bad,
    long unchecked,
    long marked,
    long frames,
    long unwindNanos,
    long cpuUsedNanos,
    long cpuCoveredNanos)
    implements Serializable {

  static final String WHOLE = "all, with start and end";
  static final Figures NONE =
      new Figures("", 0, 0, 0, 0, 0, 0, new TreeMap<>(), 0, 0, 0, 0, 0, 0, 0, 0);

  /** The figures of the sampler's own status event. */
  static Figures ofStatus(
      long written,
      long lost,
      long dropped,
      long undecodable,
      long frames,
      long unwindNanos,
      long cpuUsedNanos,
      long cpuCoveredNanos) {
    return new Figures(
        "",
        written,
        lost,
        dropped,
        undecodable,
        0,
        0,
        new TreeMap<>(),
        0,
        0,
        0,
        0,
        frames,
        unwindNanos,
        cpuUsedNanos,
        cpuCoveredNanos);
  }

  /** The figures of the stacks. */
  static Figures ofStacks(
      long recorded,
      long complete,
      Map<String, Long> early,
      long pairs,
      long bad,
      long unchecked,
      long marked) {
    return new Figures(
        "", 0, 0, 0, 0, recorded, complete, early, pairs, bad, unchecked, marked, 0, 0, 0, 0);
  }

  /**
   * All samples that ought to be complete. Those written at the edge of a phase may be counted by
   * the status of the next, which only says how many the recording lacks in the whole run.
   */
  long owed() {
    long missing = phase.equals(WHOLE) ? Math.max(0, written - recorded) : 0;
    return recorded + missing + lost + dropped + undecodable;
  }

  /** Share of complete stacks in {@link #owed}, from 0 to 1. */
  double share() {
    return owed() == 0 ? 0 : (double) complete / owed();
  }

  /** Share of marked samples in those recorded, from 0 to 1. */
  double markedShare() {
    return recorded == 0 ? 0 : (double) marked / recorded;
  }

  /** CPU time from one sample to the next. */
  double intervalNanos() {
    return written == 0 ? 0 : (double) cpuUsedNanos / written;
  }

  double nanosPerFrame() {
    return frames == 0 ? 0 : (double) unwindNanos / frames;
  }

  /** The sums of both, named {@code name}. */
  Figures plus(Figures other, String name) {
    Map<String, Long> sums = new TreeMap<>(early);
    other.early.forEach((end, count) -> sums.merge(end, count, Long::sum));
    return new Figures(
        name,
        written + other.written,
        lost + other.lost,
        dropped + other.dropped,
        undecodable + other.undecodable,
        recorded + other.recorded,
        complete + other.complete,
        sums,
        pairs + other.pairs,
        bad + other.bad,
        unchecked + other.unchecked,
        marked + other.marked,
        frames + other.frames,
        unwindNanos + other.unwindNanos,
        cpuUsedNanos + other.cpuUsedNanos,
        cpuCoveredNanos + other.cpuCoveredNanos);
  }
}
