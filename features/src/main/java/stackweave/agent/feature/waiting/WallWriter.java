package stackweave.agent.feature.waiting;

import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.store.EventStore;
import stackweave.unwind.StopReason;

/** Writes the waits of threads as samples, and counts them. For the drain thread only. */
final class WallWriter {
  /** A shorter wait for a CPU is kept for the next sample of the thread. */
  private static final long MIN_RUNNABLE_NANOS = 200_000L;

  /** The end of a stack that has no frames: nothing was read. */
  private static final StopReason NO_STACK = StopReason.NOT_READ;

  private final EventStore store;
  private final WallDecoder decoder;
  private final Counters counters;
  private final SampleRecord sample = new SampleRecord();

  WallWriter(EventStore store, WallDecoder decoder, Counters counters) {
    this.store = store;
    this.decoder = decoder;
    this.counters = counters;
  }

  /** Writes the time of a thread's present stack, and the time without a stack. */
  void write(WallThread t, long now) {
    t.writtenAt = now;
    if (t.hasStack && t.blocked > 0) {
      write(t, now, t.state, t.blocked);
      t.blocked = 0;
    }
    if (t.hasStack && t.runnable >= MIN_RUNNABLE_NANOS) {
      write(t, now, ThreadState.RUNNABLE.code(), t.runnable);
      t.runnable = 0;
    }
    if (t.preempted >= MIN_RUNNABLE_NANOS) {
      writeAlone(t, now, ThreadState.RUNNABLE, t.preempted);
      t.preempted = 0;
    }
  }

  /** Writes all remaining time of a thread, also what still waits for a stack. */
  void writeAll(WallThread t, long now) {
    write(t, now);
    t.giveUpOwed();
    if (t.carried > 0) {
      writeAlone(t, now, ThreadState.BLOCKED, t.carried);
      t.carried = 0;
    }
  }

  private void write(WallThread t, long now, int state, long nanos) {
    sample
        .begin(SampleRecord.Kind.WALL, now, nanos)
        .stack(t.threadKey, t.stackId, t.end, t.contextId)
        .state(state);
    count(store.write(sample));
  }

  /** Writes a state without a stack. */
  private void writeAlone(WallThread t, long now, ThreadState state, long nanos) {
    boolean named = t.ownKey != 0 && t.ownGeneration == decoder.generation();
    sample
        .begin(SampleRecord.Kind.WALL, now, nanos)
        .stack(t.ownKey, 0, NO_STACK.code(), 0)
        .state(state.code());
    count(named && store.write(sample));
  }

  private void count(boolean written) {
    counters.add(written ? Counter.WALL_WRITTEN : Counter.WALL_DROPPED, 1);
  }
}
