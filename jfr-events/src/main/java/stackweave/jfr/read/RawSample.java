package stackweave.jfr.read;

import stackweave.jfr.event.Blocked;
import stackweave.jfr.read.block.Definitions;
import stackweave.jfr.read.choice.SampleKind;

/**
 * A sample, or a blocked thread, as its event has it: with the codes and ids of its session. Made
 * by {@link EventDecoder}; what its event lacks is 0 or empty.
 */
final class RawSample {
  /** What it is, and so what its weight is. */
  SampleKind kind;

  /** What happened, of a sample of an event. */
  String event = "";

  /** When it was taken, or when the blocked thread left its CPU, since 1970. */
  long nanos;

  /** The thread that {@link Definitions#thread} defines. */
  long threadKey;

  int state;

  /** Time that it stands for or that the thread was blocked for, in ns; or a number of events. */
  long weight;

  /** The innermost frame, as {@link Definitions#frame} defines it; 0 for none. */
  long stackId;

  int end;

  /** A label of the application; 0 for none. */
  long contextId;

  /** Whether state, end, context and age are those of {@link #attributesId}, as in schema 2. */
  boolean hasAttributes;

  /** What {@link Definitions#attributes} defines. */
  long attributesId;

  /** Of a blocked thread: false if it still was blocked when its chunk ended. */
  boolean isOver;

  /** Of a blocked thread: the thread that woke it; 0 if none of its process did. */
  long wakerKey;

  /** Of a blocked thread: as in {@link Blocked#wakerPid}. */
  int wakerPid;

  /** Of a blocked thread: from its waking until it got a CPU, in ns. */
  long wakeDelay;

  /** Takes what its attributes say, which its event does not. */
  void take(SessionData.Attributes attributes) {
    nanos -= attributes.ageNanos();
    state = attributes.stateCode();
    end = attributes.endCode();
    contextId = attributes.contextId();
    hasAttributes = false;
  }
}
