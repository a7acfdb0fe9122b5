package stackweave.engine.timer;

import stackweave.linux.CpuTime;

/**
 * Limits the CPU time that a thread spends on one kind of work: a share of a core, with up to
 * {@code aheadNanos} saved up. Measured in CPU time, not wall-clock time: on a busy machine
 * interrupted work would otherwise seem expensive and be skipped just when there is much to do.
 * Used by {@link TimerDiscovery}; not thread-safe.
 */
final class CpuAllowance {
  private final CpuTime cpuTime;
  private final int share;
  private final long aheadNanos;
  private long filledAt = System.nanoTime();
  private long leftNanos;
  private long usedNanos;
  private long cpuAtBegin;

  /**
   * @param cpuTime closed by the caller
   * @param share the reciprocal of the share of a core
   * @param aheadNanos CPU time that may be used at once, in ns
   */
  CpuAllowance(CpuTime cpuTime, int share, long aheadNanos) {
    this.cpuTime = cpuTime;
    this.share = share;
    this.aheadNanos = aheadNanos;
    this.leftNanos = aheadNanos;
  }

  /** Whether the work may go on. */
  boolean isLeft() {
    long now = System.nanoTime();
    leftNanos = Math.min(aheadNanos, leftNanos + (now - filledAt) / share);
    filledAt = now;
    return leftNanos > 0;
  }

  /** CPU time that the work has used so far, in ns. */
  long usedNanos() {
    return usedNanos;
  }

  /** The calling thread begins the work. */
  void begin() {
    cpuAtBegin = cpuTime.ofThread();
  }

  /** The calling thread interrupts or ends the work. */
  void end() {
    long used = cpuTime.ofThread() - cpuAtBegin;
    usedNanos += used;
    leftNanos -= used;
  }
}
