package stackweave.jfr.store;

import stackweave.jfr.control.ProcessCpu;

/**
 * CPU time that the process uses while samples are asked for and none are taken: before sampling
 * begins, while another engine is prepared, while it is switched off or has to wait. Thread-safe;
 * nothing is called under its lock.
 *
 * <p>Times given to it are CPU times of the process since its beginning, in nanoseconds; {@link
 * ProcessCpu#UNKNOWN} ones change nothing. With each goes what the agent's own thread has used by
 * then, which is not counted, for no sample could stand for it.
 */
public final class MissedCpu {
  private long nanos;

  /** What statuses of the agent's own thread have said so far. */
  private long stated;

  /** Where what is not in {@link #nanos} begins; unknown while nothing is missed. */
  private long since = ProcessCpu.UNKNOWN;

  /** What the agent's own thread had used at {@link #since}; may be unknown. */
  private long ownSince;

  /** From here on CPU time is missed, if it isn't already. */
  public synchronized void begin(long cpu, long own) {
    if (since == ProcessCpu.UNKNOWN) {
      since = cpu;
      ownSince = own;
    }
  }

  /** From here on CPU time is not missed any more: samples are taken. */
  public synchronized void end(long cpu, long own) {
    nanos = total(cpu, own);
    since = ProcessCpu.UNKNOWN;
  }

  /** Nobody asks for samples any more: what was not stated until now was used for nobody. */
  public synchronized void forget() {
    nanos = Math.max(nanos, stated);
    since = ProcessCpu.UNKNOWN;
  }

  /** All that was missed up to now since the agent began, but for what was {@link #take}n. */
  public synchronized long total(long cpu, long own) {
    if (since == ProcessCpu.UNKNOWN || cpu == ProcessCpu.UNKNOWN) {
      return nanos;
    }
    long ownUsed = ownSince == ProcessCpu.UNKNOWN ? 0 : own - ownSince;
    return nanos + Math.max(0, cpu - since - ownUsed);
  }

  /** A recording has been told of such a {@link #total}. */
  public synchronized void stated(long total) {
    stated = Math.max(stated, total);
  }

  /**
   * Takes what was missed and not stated, to be stated elsewhere; with what the agent's own thread
   * used, which can't be asked for it there. 0 while nothing is missed.
   */
  synchronized long take(long cpu) {
    if (since == ProcessCpu.UNKNOWN || cpu == ProcessCpu.UNKNOWN) {
      return 0;
    }
    long all = nanos + Math.max(0, cpu - since);
    nanos = Math.max(nanos, stated);
    since = cpu;
    ownSince = ProcessCpu.UNKNOWN;
    return Math.max(0, all - nanos);
  }
}
