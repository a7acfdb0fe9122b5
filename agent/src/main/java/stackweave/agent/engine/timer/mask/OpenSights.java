package stackweave.agent.engine.timer.mask;

/**
 * Counts consecutive observations of a thread with the signal not blocked, between which it has run
 * and not slept. See {@link SignalMasks}, which uses it. Not thread-safe.
 */
final class OpenSights {
  /** From this many on the mask is taken for the thread's usual one. */
  static final int ENOUGH = 3;

  /**
   * As {@link #ENOUGH}, for a thread that has never slept: it was in no call that changes its mask.
   */
  private static final int ENOUGH_AWAKE = 2;

  /** CPU time after which a woken thread has left the call that it slept in, in ns. */
  private static final long RAN_NANOS = 10_000;

  private int count;
  private long switches;
  private long cpuNanos;

  /** Starts again: the thread is another one, or its mask had the signal. */
  void clear() {
    count = 0;
  }

  /** Copies another one's state. */
  void copy(OpenSights other) {
    count = other.count;
    switches = other.switches;
    cpuNanos = other.cpuNanos;
  }

  /**
   * Adds an observation.
   *
   * @param switchesNow how often the thread has gone to sleep so far, read after the mask
   * @param cpuBefore its CPU time before the mask was read, in ns
   * @param cpuAfter its CPU time afterwards, in ns
   */
  void add(long switchesNow, long cpuBefore, long cpuAfter) {
    boolean another = cpuBefore < cpuNanos; // a thread that has the same id now
    if (count > 0 && switchesNow == switches && !another) {
      if (!hasRunSince(cpuBefore)) {
        return;
      }
      count++;
    } else {
      count = 1;
      switches = switchesNow;
    }
    cpuNanos = cpuAfter;
  }

  boolean areEnough() {
    return count >= (switches == 0 ? ENOUGH_AWAKE : ENOUGH);
  }

  /** Whether the thread has run since its last observation long enough to have left that call. */
  boolean hasRunSince(long cpuNow) {
    return cpuNow - cpuNanos >= RAN_NANOS;
  }
}
