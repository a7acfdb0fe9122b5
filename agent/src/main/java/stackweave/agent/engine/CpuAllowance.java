package stackweave.agent.engine;

import stackweave.agent.linux.CpuTime;

/**
 * What a thread may use for a work of its own: a share of a core since the beginning, and some CPU
 * time ahead. CPU time it is, not wall-clock time: on a busy machine a work that is interrupted
 * would else seem dear, and be left out just where much is to be done. Not thread-safe.
 */
final class CpuAllowance {
  private final CpuTime cpuTime;
  private final int share;
  private final long aheadNanos;
  private final long beganAt = System.nanoTime();
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
  }

  /** Whether the work may go on. */
  boolean isLeft() {
    return usedNanos - aheadNanos <= (System.nanoTime() - beganAt) / share;
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
    usedNanos += cpuTime.ofThread() - cpuAtBegin;
  }
}
