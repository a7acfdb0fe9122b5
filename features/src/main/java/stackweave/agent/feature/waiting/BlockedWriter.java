package stackweave.agent.feature.waiting;

import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.store.EventStore;

/**
 * Writes how long threads were blocked and what woke them, and counts these events. Used by {@link
 * BlockedSampler}; for the drain thread only.
 */
final class BlockedWriter {
  private final EventStore store;
  private final WallDecoder decoder;
  private final Counters counters;
  private final int processId;
  private final SampleRecord sample = new SampleRecord();

  BlockedWriter(EventStore store, WallDecoder decoder, Counters counters, int processId) {
    this.store = store;
    this.decoder = decoder;
    this.counters = counters;
    this.processId = processId;
  }

  /** Writes a block of this length, which ended when the thread got a CPU again. */
  void write(BlockedThread t, long nanos) {
    boolean written = write(t, nanos, true);
    counters.add(written ? Counter.BLOCKED_WRITTEN : Counter.BLOCKED_DROPPED, 1);
  }

  /**
   * Writes a thread that is still blocked.
   *
   * @param isInTime false to count it only
   */
  void writeOpen(BlockedThread t, long nanos, boolean isInTime) {
    boolean written = isInTime && write(t, nanos, false);
    counters.add(Counter.BLOCKED_DROPPED, written ? 0 : 1);
  }

  private boolean write(BlockedThread t, long nanos, boolean isOver) {
    if (t.generation != decoder.generation()) {
      return false;
    }
    sample
        .begin(SampleRecord.Kind.BLOCKED, t.outAt, nanos)
        .stack(t.threadKey, t.stackId, t.end, t.contextId)
        .state(t.state);
    sample.isOver = isOver;
    sample.wakerKey = wakerKey(t);
    sample.wakerPid = t.wakerPid;
    if (sample.wakerPid != 0 && isOver) {
      sample.wakeDelayNanos = t.outAt + nanos - t.wokenAt;
    }
    return store.write(sample);
  }

  /** The thread of this process that woke it; 0 if there is none. */
  private long wakerKey(BlockedThread t) {
    return t.wakerPid == processId ? decoder.thread(t.wakerTid).threadId() : 0;
  }
}
