package stackweave.jfr.read;

import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.read.choice.SampleChoice;
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
      SampleKind kind = kindOf(sample);
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

  /** What the weight of a recorded sample is. */
  static SampleKind kindOf(SampleRecord sample) {
    return switch (sample.kind) {
      case CPU -> SampleKind.CPU;
      case WALL, BLOCKED -> SampleKind.WAITING;
      case EVENT, MEMORY, ALLOCATION -> SampleKind.EVENT;
    };
  }

  /** Whether samples of this kind, or of this event, are chosen. */
  static boolean isChosen(SampleChoice choice, SampleRecord sample) {
    if (choice == SampleChoice.EVERYTHING) {
      return sample.kind != SampleRecord.Kind.BLOCKED;
    }
    return switch (sample.kind) {
      case CPU -> !choice.isEvent();
      case WALL -> choice.isWall();
      case EVENT, MEMORY, ALLOCATION -> choice.takesEvent(sample.event);
      case BLOCKED -> false; // an event of its own, and no sample
    };
  }

  void add(long weight) {
    count++;
    weightNanos += weight;
    squares += (double) weight * weight;
  }
}
