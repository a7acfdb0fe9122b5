package stackweave.engine.perf;

import stackweave.engine.EngineSink;
import stackweave.unwind.Architecture;

/**
 * Base of {@link CpuRecords} and {@link PerfRecords}: handles the records of samples and losses,
 * and has the counters. A record is copied out and its space released before the sink sees it, so
 * that the kernel can write the next one meanwhile. Layouts: include/uapi/linux/perf_event.h, enum
 * perf_event_type. Called by {@link RingMerge}; for the drain thread only.
 */
abstract class SampleRecords {
  static final int RECORD_LOST = 2;
  static final int RECORD_THROTTLE = 5;
  static final int RECORD_SAMPLE = 9;

  final int pid;
  final SampleDecoder decoder;

  /** Null outside of a drain. */
  EngineSink sink;

  private long samples;
  private long coveredNanos;
  private long lost;
  private long throttled;
  private long foreign;

  /**
   * @param kernel whether samples have the kernel's part of the call chain
   */
  SampleRecords(int pid, boolean kernel, Architecture architecture) {
    this.pid = pid;
    this.decoder = new SampleDecoder(kernel, architecture);
  }

  /** Sets the receiver of the following records. */
  final void setSink(EngineSink receiver) {
    sink = receiver;
  }

  /** Counts a sample of this process; returns whether the sink wants it. */
  final boolean wants(long weight) {
    samples++;
    coveredNanos += weight;
    return sink.wantsSample();
  }

  /** Consumes and counts a record of another process; returns whether it was one. */
  final boolean isForeignSample(PerfRing ring) {
    if (ring.getInt(8) == pid) {
      return false;
    }
    foreign++;
    ring.take();
    return true;
  }

  final void lost(PerfRing ring, long timeNanos) {
    long count = ring.getLong(16);
    ring.take();
    lost += count;
    sink.lost(timeNanos, count);
  }

  final void throttled(PerfRing ring) {
    ring.take();
    throttled++;
  }

  final long samples() {
    return samples;
  }

  /** What the samples stand for: CPU time in ns, or events. */
  final long coveredNanos() {
    return coveredNanos;
  }

  /** Lost records as reported by LOST records; those lost since the last record are missing. */
  final long lost() {
    return lost;
  }

  /** Samples of other processes. */
  final long foreign() {
    return foreign;
  }

  final long throttled() {
    return throttled;
  }
}
