package stackweave.jfr.read.choice;

/**
 * What the weight of a sample is. CPU and waiting time never overlap: a thread is on a CPU or it is
 * not. Events are never read together with time.
 */
public enum SampleKind {
  /** CPU time. */
  CPU,
  /** Wall-clock time not on a CPU. */
  WAITING,
  /** A number of events, as page faults, or of bytes. */
  EVENT
}
