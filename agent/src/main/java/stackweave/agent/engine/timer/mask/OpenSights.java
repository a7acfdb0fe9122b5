package stackweave.agent.engine.timer.mask;

/**
 * How often in a row a thread was seen with the signal not blocked, having run but not gone to
 * sleep between any two of these sights. See {@link SignalMasks}. Not thread-safe.
 */
final class OpenSights {
  /** After so many the mask is the thread's usual one. */
  static final int ENOUGH = 3;

  /** The same of one that has never slept: it has not been in a call that changes its mask. */
  private static final int ENOUGH_AWAKE = 2;

  /** CPU time after which a woken thread has left the call that it slept in, in ns. */
  private static final long RAN_NANOS = 10_000;

  private int count;
  private long switches;
  private long cpuNanos;

  /** Begins anew: the thread is another one, or its mask was closed. */
  void clear() {
    count = 0;
  }

  /** Takes over what another one has. */
  void copy(OpenSights other) {
    count = other.count;
    switches = other.switches;
    cpuNanos = other.cpuNanos;
  }

  /**
   * Adds one.
   *
   * @param switchesNow how often the thread has gone to sleep so far, read after the mask
   * @param cpuBefore its CPU time before the mask was read, in ns
   * @param cpuAfter the same afterwards
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

  /** Whether the thread has left the place where it was seen last. */
  boolean hasRunSince(long cpuNow) {
    return cpuNow - cpuNanos >= RAN_NANOS;
  }
}
