package stackweave.jfr.read;

import stackweave.jfr.event.Blocked;
import stackweave.jfr.read.block.Definitions;

/** Receives the samples of a recording, in no order but that of the file. */
interface SampleSink {
  /**
   * What follows is of this session.
   *
   * @param session a number from 0 for each session
   */
  void begin(int session) throws RecordingException;

  /**
   * A sample; the codes are those of the session's legends.
   *
   * @param nanos when it was taken, since 1970
   * @param threadKey what {@link EventSink#thread} defines
   * @param weight time that it stands for, in nanoseconds
   * @param stackId the innermost frame, as {@link EventSink#frame} defines it; 0 for none
   * @param contextId a label of the application, 0 for none
   */
  void sample(
      long nanos, long threadKey, int state, long weight, long stackId, int end, long contextId);

  /** The same of a thread that was not on a CPU; the weight is wall-clock time, in all schemas. */
  void wallSample(
      long nanos, long threadKey, int state, long weight, long stackId, int end, long contextId);

  /**
   * A sample of an event, in all schemas.
   *
   * @param event what happened
   * @param weight how many of these events it stands for
   */
  void eventSample(
      long nanos, long threadKey, String event, long weight, long stackId, int end, long contextId);

  /**
   * A blocked thread, which is no sample.
   *
   * @param nanos when it left its CPU, since 1970
   * @param duration until it got a CPU again, in nanoseconds
   * @param isOver false if it still was blocked then
   * @param wakerKey the thread that woke it, 0 if none of its process did
   * @param wakerPid as in {@link Blocked#wakerPid}
   * @param wakeDelay from then until it got a CPU, in nanoseconds
   * @param contextId a label of the application, 0 for none
   */
  default void blocked(
      long nanos,
      long duration,
      long threadKey,
      int state,
      long stackId,
      int end,
      boolean isOver,
      long wakerKey,
      int wakerPid,
      long wakeDelay,
      long contextId) {
    // Most receivers are of samples alone.
  }

  /**
   * The same as schema 2 has it.
   *
   * @param nanos when it was taken, since 1970, by the event's start time alone
   * @param attributesId of its state, end, context and age, as {@link Definitions#attributes}
   *     defines them
   */
  void stackSample(long nanos, long threadKey, long weight, long stackId, long attributesId);
}
