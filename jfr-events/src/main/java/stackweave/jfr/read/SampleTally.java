package stackweave.jfr.read;

import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.read.choice.SampleKind;
import stackweave.jfr.read.time.CellSeries;

/** Counts the samples that have all of a {@link Key} in common. Not thread-safe. */
final class SampleTally {
  /**
   * What the samples have in common.
   *
   * @param session the number of the session that the codes and ids are of
   * @param event name of the event; empty for samples of time
   * @param contextId 0 where samples are summed whatever their context
   */
  record Key(
      int session,
      SampleKind kind,
      String event,
      long threadKey,
      int state,
      long stackId,
      int end,
      long contextId) {
    static Key of(int session, SampleRecord sample, long contextId) {
      SampleKind kind = SampleKind.of(sample.kind);
      return new Key(
          session,
          kind,
          kind == SampleKind.EVENT ? sample.event : "",
          sample.threadKey,
          sample.state,
          sample.stackId,
          sample.end,
          contextId);
    }
  }

  /** When they were taken; null if times were not asked for. */
  final CellSeries series;

  long count;
  long weightNanos;

  /** Sum of the squares of the weights. */
  double squares;

  SampleTally(CellSeries series) {
    this.series = series;
  }

  void add(long weight) {
    count++;
    weightNanos += weight;
    squares += (double) weight * weight;
  }
}
