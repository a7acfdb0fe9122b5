package stackweave.samples.lab.phase;

import java.util.function.LongUnaryOperator;

/** A thread that stays in a known place: Java frames of ours, then C. Not a phase of the lab. */
public final class Spin implements LongUnaryOperator {

  /** Stays in C for {@code nanos} of CPU time. */
  @Override
  public long applyAsLong(long nanos) {
    long x = outer(nanos, 3);
    return x + 1;
  }

  private long outer(long nanos, int depth) {
    if (depth > 0) {
      return outer(nanos, depth - 1) + 1;
    }
    return inner(nanos) + 2;
  }

  private static long inner(long nanos) {
    long before = nanos ^ 0x55;
    long x = spin(nanos);
    return x ^ before;
  }

  private static native long spin(long nanos);
}
