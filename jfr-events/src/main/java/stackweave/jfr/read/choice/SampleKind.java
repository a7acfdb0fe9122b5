package stackweave.jfr.read.choice;

/** What the weight of a sample is. The two never overlap: a thread is on a CPU or it is not. */
public enum SampleKind {
  /** CPU time. */
  CPU,
  /** Wall-clock time not on a CPU. */
  WAITING
}
