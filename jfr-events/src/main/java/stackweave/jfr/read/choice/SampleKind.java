package stackweave.jfr.read.choice;

/**
 * What the weight of a sample is. The times never overlap: a thread is on a CPU or it is not. What
 * is no time is never read together with them.
 */
public enum SampleKind {
  /** CPU time. */
  CPU,
  /** Wall-clock time not on a CPU. */
  WAITING,
  /** A number of events, as page faults, or of bytes. */
  EVENT,
  /** The time of one long wait, by an event of its own: it is no sample, and never summed. */
  BLOCKED
}
