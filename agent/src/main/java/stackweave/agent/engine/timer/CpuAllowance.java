package stackweave.agent.engine.timer;

import stackweave.agent.linux.CpuTime;

/**
 * What a thread may use for a work of its own: a share of a core, and some CPU time ahead, which is
 * also the most that is saved up while there is nothing to do. CPU time it is, not wall-clock time:
 * on a busy machine a work that is interrupted would else seem dear, and be left out just where
 * much is to be done. Not thread-safe.
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
   * @param cpuTime stays the caller's to close
   * @param share one part of so many of a core
   * @param aheadNanos CPU time that may be used at once
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

  /** What the work has used so far, in ns. */
  long usedNanos() {
    return usedNanos;
  }

  /** The calling thread begins with the work. */
  void begin() {
    cpuAtBegin = cpuTime.ofThread();
  }

  /** It has ended, for now. */
  void end() {
    long used = cpuTime.ofThread() - cpuAtBegin;
    usedNanos += used;
    leftNanos -= used;
  }
}
