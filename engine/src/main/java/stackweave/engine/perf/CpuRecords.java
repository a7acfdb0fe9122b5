package stackweave.engine.perf;

import stackweave.engine.perf.filter.OlderParts;
import stackweave.engine.perf.filter.ProcessFilter;
import stackweave.unwind.Architecture;
import stackweave.unwind.snapshot.OlderCopy;
import stackweave.unwind.snapshot.StackSnapshot;

/** Passes on the samples of CPUs' events. Each stands for the period of its CPU's event. */
final class CpuRecords extends SampleRecords implements RingMerge.Target {
  /** Offset of the address in samples of events other than CPU time. */
  private static final int ADDRESS = 24;

  private final int drainTid;
  private final long[] periods;
  private final EndedThreads threads;

  /** Null if no program filters. */
  private final ProcessFilter filter;

  private long address;

  /** Null if older parts of stacks are not copied. */
  private final OlderParts older;

  /**
   * @param drainTid the drain thread, whose samples don't count
   * @param periods of the CPUs' events by the CPU's number, in ns or events
   * @param threads gets the threads that are sampled
   * @param filter has the names of threads; null for none
   */
  CpuRecords(
      int pid,
      int drainTid,
      long[] periods,
      Architecture architecture,
      EndedThreads threads,
      ProcessFilter filter) {
    super(pid, true, architecture);
    this.drainTid = drainTid;
    this.periods = periods;
    this.threads = threads;
    this.filter = filter;
    this.older = filter == null ? null : filter.older();
  }

  /** The address of the present sample, such as that of a page fault: not of CPU time. */
  long address() {
    return address;
  }

  @Override
  public void record(PerfRing ring, long timeNanos) {
    switch (ring.type()) {
      case RECORD_SAMPLE -> sample(ring, timeNanos);
      case RECORD_LOST -> lost(ring, timeNanos);
      case RECORD_THROTTLE -> throttled(ring);
      default -> ring.take();
    }
  }

  private void sample(PerfRing ring, long timeNanos) {
    int tid = ring.getInt(12);
    if (isForeignSample(ring)) {
      return;
    }
    if (tid == drainTid) {
      ring.take();
    } else {
      long weight = periods[ring.cpu()];
      address = ring.getLong(ADDRESS);
      // A thread that has nearly ended has no id in the kernel any more (perf_event_pid_type).
      if (tid > 0 && threads.isNew(tid)) {
        name(timeNanos, tid);
      }
      StackSnapshot snapshot = wants(weight) ? decoder.decode(ring, timeNanos, tid, weight) : null;
      if (older != null) {
        long kernelNanos = ring.getLong(RingMerge.SAMPLE_TIME);
        OlderCopy copy = snapshot == null ? null : snapshot.olderCopy();
        older.sample(ring.cpu(), tid, kernelNanos, copy);
      }
      ring.take();
      if (snapshot != null) {
        sink.sample(snapshot);
        OlderCopy copy = snapshot.olderCopy();
        if (older != null && copy.isNeedKnown()) {
          older.stack(tid, copy.stackEnd(), copy.neededFrom());
        }
      }
    }
  }

  /** Reports the name of a new thread, which the kernel may not know any more. */
  private void name(long timeNanos, int tid) {
    String comm = filter == null ? "" : filter.nameOf(tid);
    if (!comm.isEmpty()) {
      sink.renamed(timeNanos, tid, comm);
    }
  }
}
