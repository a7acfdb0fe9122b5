package stackweave.engine.perf;

import stackweave.jfr.control.SampledEvent;
import stackweave.unwind.Architecture;
import stackweave.unwind.snapshot.StackSnapshot;
import stackweave.unwind.text.ModifiedUtf8;

/** Passes on the records of threads' events: samples, and threads' starts, ends and names. */
final class PerfRecords extends SampleRecords implements RingMerge.Target {
  private static final int RECORD_COMM = 3;
  private static final int RECORD_EXIT = 4;
  private static final int RECORD_FORK = 7;

  private static final int SAMPLE_ROOT = 24;

  /** Offset of the address in samples of events other than CPU time, which have no period. */
  private static final int SAMPLE_ADDRESS = 24;

  private static final int ROOT_AFTER_ADDRESS = 32;

  /** Bytes of the fields at the end of every record but a sample: pid, tid, time, id. */
  private static final int TRAILER_BYTES = 24;

  /** Offset of the id of a sample's root event. */
  private final int sampleRoot;

  private final PerfRoots roots;
  private final long intervalNanos;

  /** TASK_COMM_LEN in include/linux/sched.h. */
  private final byte[] name = new byte[16];

  private long address;
  private long unsampledNanos;
  private long duplicates;
  private long starts;

  /**
   * @param event what is sampled
   * @param interval CPU time that a sample stands for, in ns, or the number of events
   */
  PerfRecords(
      int pid,
      boolean kernel,
      Architecture architecture,
      int[] cpus,
      SampledEvent event,
      long interval) {
    super(pid, kernel, architecture);
    this.roots = new PerfRoots(cpus);
    this.intervalNanos = interval;
    this.sampleRoot = event.isCpu() ? SAMPLE_ROOT : ROOT_AFTER_ADDRESS;
  }

  /** The address of the present sample, such as that of a page fault; 0 for none. */
  long address() {
    return address;
  }

  /**
   * Estimated CPU time without a sample because it was less than a period of a thread on a CPU:
   * half a period for each, ended or not. In ns.
   */
  long unsampledNanos() {
    return unsampledNanos + roots.count() * (intervalNanos / 2);
  }

  long duplicates() {
    return duplicates;
  }

  /** Threads started. */
  long starts() {
    return starts;
  }

  @Override
  public void record(PerfRing ring, long timeNanos) {
    if (ring.type() == RECORD_SAMPLE) {
      sample(ring, timeNanos);
    } else {
      message(ring, timeNanos);
    }
  }

  private void sample(PerfRing ring, long timeNanos) {
    int tid = ring.getInt(12);
    if (!isForeignSample(ring)) {
      long root = ring.getLong(sampleRoot);
      address = sampleRoot == SAMPLE_ROOT ? 0 : ring.getLong(SAMPLE_ADDRESS);
      boolean counts = !isDuplicate(ring, tid, root);
      StackSnapshot snapshot =
          counts && wants(intervalNanos)
              ? decoder.decode(ring, timeNanos, tid, intervalNanos)
              : null;
      ring.take();
      if (snapshot != null) {
        sink.sample(snapshot);
      }
    }
  }

  private boolean isDuplicate(PerfRing ring, int tid, long root) {
    boolean isDuplicate = roots.isDuplicate(tid, ring.cpu(), root);
    duplicates += isDuplicate ? 1 : 0;
    return isDuplicate;
  }

  private void message(PerfRing ring, long timeNanos) {
    int trailer = ring.size() - TRAILER_BYTES;
    int type = ring.type();
    if (type == RECORD_LOST) {
      roots.clear();
      lost(ring, timeNanos);
    } else if (type == RECORD_THROTTLE) {
      throttled(ring);
    } else if (isDuplicate(ring, trailer)) {
      ring.take();
    } else {
      switch (type) {
        case RECORD_COMM -> renamed(ring, timeNanos, trailer);
        case RECORD_FORK -> started(ring, timeNanos);
        case RECORD_EXIT -> exited(ring, timeNanos);
        default -> ring.take();
      }
    }
  }

  private boolean isDuplicate(PerfRing ring, int trailer) {
    return roots.isDuplicate(ring.getInt(trailer + 4), ring.cpu(), ring.getLong(trailer + 16));
  }

  private void renamed(PerfRing ring, long timeNanos, int trailer) {
    if (isForeign(ring, ring.getInt(8))) {
      return;
    }
    int tid = ring.getInt(12);
    int length = Math.max(0, Math.min(trailer - 16, name.length));
    ring.copy(16, name, 0, length);
    int end = 0;
    while (end < length && name[end] != 0) {
      end++;
    }
    String comm = ModifiedUtf8.cut(name, end);
    ring.take();
    sink.renamed(timeNanos, tid, comm);
  }

  /** FORK: pid, parent's pid, tid, parent's tid. */
  private void started(PerfRing ring, long timeNanos) {
    if (ring.getInt(8) != pid) {
      // A forked child process, reported as a record of this process.
      ring.take();
      return;
    }
    int tid = ring.getInt(16);
    int parent = ring.getInt(20);
    ring.take();
    starts++;
    roots.started(tid);
    sink.started(timeNanos, tid, parent);
  }

  private void exited(PerfRing ring, long timeNanos) {
    if (isForeign(ring, ring.getInt(8))) {
      return;
    }
    int tid = ring.getInt(16);
    ring.take();
    unsampledNanos += roots.cpusOf(tid) * (intervalNanos / 2);
    if (roots.exited(tid)) {
      sink.exited(timeNanos, tid);
    }
  }

  /** Consumes a record of another process. */
  private boolean isForeign(PerfRing ring, int recordPid) {
    if (recordPid == pid) {
      return false;
    }
    ring.take();
    return true;
  }
}
