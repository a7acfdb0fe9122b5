package stackweave.jfr.store.output;

import jdk.jfr.Event;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.event.StackEvent;
import stackweave.jfr.event.StackSample;

/** Where a store's events go: JFR's open chunk, or a file. For the drain thread. */
public interface EventOutput {
  /** Whether samples are recorded now. */
  boolean isRecorded();

  /** Whether samples of a kind are recorded now. */
  boolean isRecorded(SampleRecord.Kind kind);

  /** Whether status events are recorded now. */
  boolean isStatusRecorded();

  /**
   * Prepares for samples of this time.
   *
   * @param timeNanos by {@link System#nanoTime}
   * @return whether events can have a time other than now
   */
  boolean knowsTime(long timeNanos);

  /**
   * Sets the time of an event that is committed later.
   *
   * @return how long before its start time the sample was taken, in nanoseconds: 0 where that could
   *     be set
   */
  long stamp(StackEvent event, SampleRecord sample);

  /** The time of a stamped event by JFR's clock; 0 if it is not known. */
  long ticks(StackSample event);

  /** Writes an event. */
  void commit(Event event);
}
