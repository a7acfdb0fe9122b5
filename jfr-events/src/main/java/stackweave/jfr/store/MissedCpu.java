package stackweave.jfr.store;

import stackweave.jfr.process.SampledProcess;

/**
 * Counts CPU time used while samples are requested and none are taken: before sampling begins,
 * between engines, while switched off or waiting. Parameters are CPU times of the process since its
 * start, in ns, and of the agent's own thread at that time, which is not counted; {@link
 * SampledProcess#UNKNOWN} changes nothing. Thread-safe; calls nothing while holding its lock.
 */
public final class MissedCpu {
  private long nanos;

  /** What status events of the agent's own thread have reported so far. */
  private long stated;

  /** Start of the time not in {@link #nanos} yet; unknown while nothing is missed. */
  private long since = SampledProcess.UNKNOWN;

  /** The agent thread's CPU time at {@link #since}; may be unknown. */
  private long ownSince;

  /** CPU time is missed from here on, if it isn't already. */
  public synchronized void begin(long cpu, long own) {
    if (since == SampledProcess.UNKNOWN) {
      since = cpu;
      ownSince = own;
    }
  }

  /** CPU time is not missed any more: samples are taken. */
  public synchronized void end(long cpu, long own) {
    nanos = total(cpu, own);
    since = SampledProcess.UNKNOWN;
  }

  /** No recording requests samples any more: drops what was not reported. */
  public synchronized void forget() {
    nanos = Math.max(nanos, stated);
    since = SampledProcess.UNKNOWN;
  }

  /** Everything missed since the agent started, except what {@link #take} has returned. */
  public synchronized long total(long cpu, long own) {
    if (since == SampledProcess.UNKNOWN || cpu == SampledProcess.UNKNOWN) {
      return nanos;
    }
    long ownUsed = ownSince == SampledProcess.UNKNOWN ? 0 : own - ownSince;
    return nanos + Math.max(0, cpu - since - ownUsed);
  }

  /** Records that a {@link #total} has been reported. */
  public synchronized void stated(long total) {
    stated = Math.max(stated, total);
  }

  /**
   * Returns what was missed and not reported, to be reported elsewhere, including the agent
   * thread's CPU time, which is not known there. 0 while nothing is missed.
   */
  synchronized long take(long cpu) {
    if (since == SampledProcess.UNKNOWN || cpu == SampledProcess.UNKNOWN) {
      return 0;
    }
    long all = nanos + Math.max(0, cpu - since);
    nanos = Math.max(nanos, stated);
    since = cpu;
    ownSince = SampledProcess.UNKNOWN;
    return Math.max(0, all - nanos);
  }
}
