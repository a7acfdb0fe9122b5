package stackweave.agent.feature.waiting;

import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.store.EventStore;

/**
 * Writes for how long threads were blocked, and who woke them, and counts it. Used by {@link
 * BlockedSampler}; for the drain thread only.
 */
final class BlockedWriter {
  private final BlockedThreads threads;
  private final EventStore store;
  private final WallDecoder decoder;
  private final Counters counters;
  private final int processId;
  private final SampleRecord sample = new SampleRecord();

  BlockedWriter(
      BlockedThreads threads,
      EventStore store,
      WallDecoder decoder,
      Counters counters,
      int processId) {
    this.threads = threads;
    this.store = store;
    this.decoder = decoder;
    this.counters = counters;
    this.processId = processId;
  }

  /** Writes a thread that got a CPU again after so long. */
  void write(int i, long nanos) {
    boolean written = write(i, nanos, true);
    counters.add(written ? Counter.BLOCKED_WRITTEN : Counter.BLOCKED_DROPPED, 1);
  }

  /**
   * Writes a thread that is still blocked.
   *
   * @param isInTime false to count it only
   */
  void writeOpen(int i, long nanos, boolean isInTime) {
    boolean written = isInTime && write(i, nanos, false);
    counters.add(Counter.BLOCKED_DROPPED, written ? 0 : 1);
  }

  private boolean write(int i, long nanos, boolean isOver) {
    if (threads.generation[i] != decoder.generation()) {
      return false;
    }
    sample
        .begin(SampleRecord.Kind.BLOCKED, threads.outAt[i], nanos)
        .stack(threads.threadKey[i], threads.stackId[i], threads.end[i], threads.contextId[i])
        .state(threads.state[i]);
    sample.isOver = isOver;
    sample.wakerKey = wakerKey(i);
    sample.wakerPid = threads.wakerPid[i];
    if (sample.wakerPid != 0 && isOver) {
      sample.wakeDelayNanos = threads.outAt[i] + nanos - threads.wokenAt[i];
    }
    return store.write(sample);
  }

  /** The thread of this process that woke it; 0 if there is none. */
  private long wakerKey(int i) {
    return threads.wakerPid[i] == processId ? decoder.thread(threads.wakerTid[i]).threadId() : 0;
  }
}
