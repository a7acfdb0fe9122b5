package stackweave.agent.engine.perf;

import stackweave.agent.engine.EngineSink;
import stackweave.agent.engine.perf.filter.OlderParts;
import stackweave.agent.engine.perf.filter.ProcessFilter;
import stackweave.unwind.Architecture;
import stackweave.unwind.snapshot.OlderCopy;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Passes on the samples of CPUs' events: a record is copied out and its space released before the
 * sink sees it, so that the kernel can write the next one meanwhile. Each stands for the period of
 * its CPU's event. Called by {@link RingMerge}; for the drain thread only.
 */
final class CpuRecords implements RingMerge.Target {
  private static final int RECORD_LOST = 2;
  private static final int RECORD_THROTTLE = 5;

  private final int pid;
  private final int drainTid;
  private final long[] periods;
  private final SampleDecoder decoder;
  private final EndedThreads threads;

  /** Null where no program filters. */
  private final ProcessFilter filter;

  /** Null where nothing copies older parts of stacks. */
  private final OlderParts older;

  private EngineSink sink;
  private long samples;
  private long coveredNanos;
  private long lost;
  private long foreign;
  private long throttled;

  /**
   * @param drainTid whose samples don't count
   * @param periods of the CPUs' events by the CPU's number, in ns
   * @param threads is told which threads are sampled
   * @param filter has the names of those that it let through; null if there is none
   */
  CpuRecords(
      int pid,
      int drainTid,
      long[] periods,
      Architecture architecture,
      EndedThreads threads,
      ProcessFilter filter) {
    this.pid = pid;
    this.drainTid = drainTid;
    this.periods = periods;
    this.decoder = new SampleDecoder(true, architecture);
    this.threads = threads;
    this.filter = filter;
    this.older = filter == null ? null : filter.older();
  }

  /** Sets the receiver of the following records. */
  void setSink(EngineSink sink) {
    this.sink = sink;
  }

  @Override
  public boolean goesOn() {
    return sink.goesOn();
  }

  @Override
  public void record(PerfRing ring, long timeNanos) {
    switch (ring.type()) {
      case PerfRecords.RECORD_SAMPLE -> sample(ring, timeNanos);
      case RECORD_LOST -> {
        long count = ring.getLong(16);
        ring.take();
        lost += count;
        sink.lost(timeNanos, count);
      }
      case RECORD_THROTTLE -> {
        ring.take();
        throttled++;
      }
      default -> ring.take();
    }
  }

  private void sample(PerfRing ring, long timeNanos) {
    int tid = ring.getInt(12);
    if (ring.getInt(8) != pid) {
      foreign++;
      ring.take();
    } else if (tid == drainTid) {
      ring.take();
    } else {
      long weight = periods[ring.cpu()];
      samples++;
      coveredNanos += weight;
      // Of a thread that is nearly gone the kernel has no id any more (perf_event_pid_type).
      if (tid > 0 && threads.isNew(tid)) {
        name(timeNanos, tid);
      }
      StackSnapshot snapshot =
          sink.wantsSample() ? decoder.decode(ring, timeNanos, tid, weight) : null;
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

  /** It may have ended by now, and the kernel have no name of it any more. */
  private void name(long timeNanos, int tid) {
    String comm = filter == null ? "" : filter.nameOf(tid);
    if (!comm.isEmpty()) {
      sink.renamed(timeNanos, tid, comm);
    }
  }

  SampleDecoder decoder() {
    return decoder;
  }

  long samples() {
    return samples;
  }

  /** CPU time that the samples stand for, in ns. */
  long coveredNanos() {
    return coveredNanos;
  }

  /** Records that found no room, as reported: those since the last record written are not. */
  long lost() {
    return lost;
  }

  /** Samples of other processes of the same group. */
  long foreign() {
    return foreign;
  }

  long throttled() {
    return throttled;
  }
}
