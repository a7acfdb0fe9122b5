package stackweave.agent.engine.perf;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import stackweave.agent.engine.EngineSink;
import stackweave.jfr.control.SampledEvent;
import stackweave.unwind.Architecture;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Decodes the record at a ring's tail and passes it to the sink: samples as the one snapshot, other
 * records as messages. A record is copied out and its space released before the sink sees it, so
 * that the kernel can write the next one meanwhile. Layouts: include/uapi/linux/perf_event.h, enum
 * perf_event_type. Called by {@link RingMerge}; for the drain thread only.
 */
final class PerfRecords implements RingMerge.Target {
  private static final int RECORD_LOST = 2;
  private static final int RECORD_COMM = 3;
  private static final int RECORD_EXIT = 4;
  private static final int RECORD_THROTTLE = 5;
  private static final int RECORD_FORK = 7;
  private static final int RECORD_SAMPLE = 9;
  private static final int RECORD_MMAP2 = 10;

  private static final int MISC_MMAP_BUILD_ID = 1 << 14;

  private static final int SAMPLE_ROOT = 24;

  /** Of an event other than CPU time, whose samples have an address but no period. */
  private static final int SAMPLE_ADDRESS = 24;

  private static final int ROOT_AFTER_ADDRESS = 32;
  private static final int SAMPLE_PERIOD = 32;

  /** Offset of a sample's call chain or registers, after header, ids, time, event and period. */
  private static final int SAMPLE_BODY = 40;

  /** Bytes of the fields at the end of every record but a sample: pid, tid, time, id. */
  private static final int TRAILER_BYTES = 24;

  private static final long CONTEXT_MAX = -4095;
  private static final long CONTEXT_KERNEL = -128;

  private final int pid;
  private final boolean kernel;

  /** Offset of the id of the event that a sample is of. */
  private final int sampleRoot;

  private final PerfRegisters registers;
  private final PerfRoots roots;
  private final long intervalNanos;
  private final PerfThinning thinning;
  private final ShortThreads shortThreads;
  private final ShortEvents shortEvents;
  private final StackSnapshot snapshot;
  private byte[] text = new byte[4 << 10];

  private EngineSink sink;
  private long address;
  private long samples;
  private long surplus;
  private long coveredNanos;
  private long raw;
  private long rawNanos;
  private long unsampledNanos;
  private long lost;
  private long foreign;
  private long duplicates;
  private long throttled;
  private long starts;

  /**
   * @param event what is sampled
   * @param interval CPU time that a sample stands for, in ns, or the number of events
   * @param shortThreads informed of threads that end
   * @param shortEvents informed of threads that start and end; its samples are thinned
   */
  PerfRecords(
      int pid,
      boolean kernel,
      Architecture architecture,
      int[] cpus,
      SampledEvent event,
      long interval,
      ShortThreads shortThreads,
      ShortEvents shortEvents) {
    this.pid = pid;
    this.kernel = kernel;
    this.registers = PerfRegisters.of(architecture);
    this.roots = new PerfRoots(cpus);
    this.intervalNanos = interval;
    this.sampleRoot = event.isCpu() ? SAMPLE_ROOT : ROOT_AFTER_ADDRESS;
    this.shortThreads = shortThreads;
    this.shortEvents = shortEvents;
    this.thinning = new PerfThinning(interval, System.nanoTime());
    this.snapshot = new StackSnapshot(architecture);
  }

  @Override
  public boolean goesOn() {
    return sink.goesOn();
  }

  /** Sets the receiver of the following records. */
  void setSink(EngineSink sink) {
    this.sink = sink;
  }

  long samples() {
    return samples;
  }

  /** The address that the present sample is of, such as that of a page fault; 0 for none. */
  long address() {
    return address;
  }

  /** Samples dropped because they came more often than asked for; others stand for them. */
  long surplus() {
    return surplus;
  }

  long coveredNanos() {
    return coveredNanos;
  }

  /** Samples that arrived, including those dropped. */
  long raw() {
    return raw;
  }

  /** CPU time of the {@link #raw} samples by their periods alone, in ns. */
  long rawNanos() {
    return rawNanos;
  }

  /**
   * Estimated CPU time without a sample because it was less than a period of a thread on a CPU:
   * half a period for each, ended or not. In ns.
   */
  long unsampledNanos() {
    return unsampledNanos + roots.count() * (intervalNanos / 2);
  }

  /** The short events are closed: the other events' samples count again. */
  void preferNone() {
    roots.preferNone();
  }

  /** Lost records as reported by LOST records, so without those since the last record written. */
  long lost() {
    return lost;
  }

  /** Records of other processes' samples. */
  long foreign() {
    return foreign;
  }

  long duplicates() {
    return duplicates;
  }

  /** Threads started. */
  long starts() {
    return starts;
  }

  long throttled() {
    return throttled;
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
    if (ring.getInt(8) != pid) {
      foreign++;
      ring.take();
    } else {
      long root = ring.getLong(sampleRoot);
      address = sampleRoot == SAMPLE_ROOT ? 0 : ring.getLong(SAMPLE_ADDRESS);
      boolean isShort = shortEvents.contains(root);
      long weight = isShort ? shortWeight(ring, tid, root) : weight(ring, tid, root);
      boolean wanted = weight > 0 && wants(weight);
      if (wanted) {
        decode(ring, timeNanos, tid, weight);
      }
      ring.take();
      if (wanted) {
        sink.sample(snapshot);
      }
    }
  }

  private boolean wants(long weight) {
    samples++;
    coveredNanos += weight;
    return sink.wantsSample();
  }

  private long weight(PerfRing ring, int tid, long root) {
    if (roots.isDuplicateSample(tid, ring.cpu(), root)) {
      duplicates++;
      return 0;
    }
    raw++;
    rawNanos += intervalNanos;
    return intervalNanos;
  }

  /**
   * The weight of a sample of a short event. A thread's first one on a CPU stands for half a period
   * more: on average that much remains unsampled when the thread ends.
   */
  private long shortWeight(PerfRing ring, int tid, long root) {
    if (shortEvents.isStarter(tid)) {
      surplus++;
      return 0;
    }
    PerfRoots.Preferred preferred =
        shortEvents.isRetired(root)
            ? PerfRoots.Preferred.NEXT
            : roots.prefer(tid, ring.cpu(), root);
    if (preferred == PerfRoots.Preferred.DUPLICATE) {
      duplicates++;
      return 0;
    }
    long period = ring.getLong(SAMPLE_PERIOD);
    long leftOver = preferred == PerfRoots.Preferred.FIRST ? period / 2 : 0;
    raw++;
    rawNanos += period;
    unsampledNanos += leftOver;
    long weight = thinning.weigh(period + leftOver);
    surplus += weight == 0 ? 1 : 0;
    return weight;
  }

  /** The highest stack pointer of a thread among the samples waiting in a ring; 0 for none. */
  long highestStackPointer(PerfRing ring, int tid) {
    long highest = 0;
    for (int at = 0; at < ring.waiting() && ring.size(at) > 0; at += ring.size(at)) {
      if (ring.type(at) == RECORD_SAMPLE && ring.getInt(at + 12) == tid) {
        long sp = stackPointer(ring, at + SAMPLE_BODY);
        highest = Long.compareUnsigned(sp, highest) > 0 ? sp : highest;
      }
    }
    return highest;
  }

  private long stackPointer(PerfRing ring, int body) {
    int at = kernel ? body + 8 + 8 * (int) ring.getLong(body) : body;
    return ring.getLong(at) == 0 ? 0 : registers.stackPointer(ring, at + 8);
  }

  private void decode(PerfRing ring, long timeNanos, int tid, long weightNanos) {
    snapshot.clear();
    snapshot.setTimeNanos(timeNanos);
    snapshot.setTid(tid);
    snapshot.setWeightNanos(weightNanos);
    int at = SAMPLE_BODY;
    if (kernel) {
      at = decodeKernelFrames(ring, at);
    }
    boolean present = ring.getLong(at) != 0;
    at += 8;
    if (present) {
      registers.read(ring, at, snapshot.registers());
      snapshot.setHasRegisters(true);
      at += 8 * registers.count();
    }
    int room = (int) ring.getLong(at);
    if (room > 0 && present) {
      // The space is always what was asked for; the number of bytes copied follows it.
      long copied = ring.getLong(at + 8 + room);
      int length = (int) Math.min(copied, StackSnapshot.MAX_STACK_BYTES);
      ring.copy(at + 8, snapshot.stackBytes(), 0, length);
      snapshot.setStack(snapshot.registers().sp(), length);
    }
  }

  /** Decodes the kernel's part of the call chain; returns the offset after it. */
  private int decodeKernelFrames(PerfRing ring, int at) {
    int entries = (int) ring.getLong(at);
    long[] frames = snapshot.kernelFrames();
    int count = 0;
    boolean inKernel = false;
    for (int i = 1; i <= entries; i++) {
      long entry = ring.getLong(at + 8 * i);
      if (Long.compareUnsigned(entry, CONTEXT_MAX) >= 0) {
        inKernel = entry == CONTEXT_KERNEL;
      } else if (inKernel && count < frames.length) {
        frames[count++] = entry;
      }
    }
    snapshot.setKernelFrameCount(count);
    return at + 8 + 8 * entries;
  }

  private void message(PerfRing ring, long timeNanos) {
    int trailer = ring.size() - TRAILER_BYTES;
    int type = ring.type();
    if (type == RECORD_LOST) {
      long count = ring.getLong(16);
      ring.take();
      lost += count;
      roots.clear();
      sink.lost(timeNanos, count);
    } else if (type == RECORD_THROTTLE) {
      ring.take();
      throttled++;
    } else if (isDuplicate(ring, trailer)) {
      ring.take();
    } else {
      switch (type) {
        case RECORD_MMAP2 -> mapped(ring, timeNanos, trailer);
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

  private void mapped(PerfRing ring, long timeNanos, int trailer) {
    int recordPid = ring.getInt(8);
    if (isForeign(ring, recordPid)) {
      return;
    }
    int tid = ring.getInt(12);
    long address = ring.getLong(16);
    long length = ring.getLong(24);
    long pageOffset = ring.getLong(32);
    byte[] buildId = null;
    if ((ring.misc() & MISC_MMAP_BUILD_ID) != 0) {
      ring.copy(40, text, 0, 24);
      int size = Math.min(text[0], 20);
      buildId = size > 0 ? Arrays.copyOfRange(text, 4, 4 + size) : null;
    }
    String path = string(ring, 72, trailer);
    ring.take();
    sink.mapped(timeNanos, recordPid, tid, address, length, pageOffset, buildId, path);
  }

  private void renamed(PerfRing ring, long timeNanos, int trailer) {
    if (isForeign(ring, ring.getInt(8))) {
      return;
    }
    int tid = ring.getInt(12);
    String comm = string(ring, 16, trailer);
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
    shortEvents.started(tid, parent, timeNanos);
    sink.started(timeNanos, tid, parent);
  }

  private void exited(PerfRing ring, long timeNanos) {
    if (isForeign(ring, ring.getInt(8))) {
      return;
    }
    int tid = ring.getInt(16);
    ring.take();
    shortEvents.ended(tid);
    unsampledNanos += roots.cpusOf(tid) * (intervalNanos / 2);
    if (roots.exited(tid)) {
      shortThreads.ended();
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

  /** The null-terminated text between two offsets. */
  private String string(PerfRing ring, int from, int to) {
    int length = Math.max(0, to - from);
    if (length > text.length) {
      text = new byte[length]; // 64 KiB at most: a record's size has 16 bits
    }
    ring.copy(from, text, 0, length);
    int end = 0;
    while (end < length && text[end] != 0) {
      end++;
    }
    return new String(text, 0, end, StandardCharsets.UTF_8);
  }
}
