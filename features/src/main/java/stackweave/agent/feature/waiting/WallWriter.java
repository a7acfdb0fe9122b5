package stackweave.agent.feature.waiting;

import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.store.EventStore;
import stackweave.unwind.StopReason;

/**
 * Writes what threads have waited for so far, and counts it. Used by {@link WallSampler}; for the
 * drain thread only.
 */
final class WallWriter {
  /** Less time of waiting for a CPU is kept for the next sample of the thread. */
  private static final long MIN_RUNNABLE_NANOS = 200_000L;

  /** The end of a stack that has no frames: nothing was read. */
  private static final StopReason NO_STACK = StopReason.NOT_READ;

  private final WallThreads threads;
  private final EventStore store;
  private final WallDecoder decoder;
  private final Counters counters;
  private final SampleRecord sample = new SampleRecord();

  WallWriter(WallThreads threads, EventStore store, WallDecoder decoder, Counters counters) {
    this.threads = threads;
    this.store = store;
    this.decoder = decoder;
    this.counters = counters;
  }

  /** Writes what a thread's present stack stands for, and what no stack stands for. */
  void write(int i, long now) {
    threads.writtenAt[i] = now;
    if (threads.hasStack[i] && threads.blocked[i] > 0) {
      write(i, now, threads.state[i], threads.blocked[i]);
      threads.blocked[i] = 0;
    }
    if (threads.hasStack[i] && threads.runnable[i] >= MIN_RUNNABLE_NANOS) {
      write(i, now, ThreadState.RUNNABLE.code(), threads.runnable[i]);
      threads.runnable[i] = 0;
    }
    if (threads.preempted[i] >= MIN_RUNNABLE_NANOS) {
      writeAlone(i, now, ThreadState.RUNNABLE, threads.preempted[i]);
      threads.preempted[i] = 0;
    }
  }

  /** Writes the last of what is known of a thread: also what still waits for a stack. */
  void writeAll(int i, long now) {
    write(i, now);
    threads.giveUpOwed(i);
    if (threads.carried[i] > 0) {
      writeAlone(i, now, ThreadState.BLOCKED, threads.carried[i]);
      threads.carried[i] = 0;
    }
  }

  private void write(int i, long now, int state, long nanos) {
    sample
        .begin(SampleRecord.Kind.WALL, now, nanos)
        .stack(threads.threadKey[i], threads.stackId[i], threads.end[i], threads.contextId[i])
        .state(state);
    count(store.write(sample));
  }

  /** Writes a state without a stack. */
  private void writeAlone(int i, long now, ThreadState state, long nanos) {
    boolean named = threads.ownKey[i] != 0 && threads.ownGeneration[i] == decoder.generation();
    sample
        .begin(SampleRecord.Kind.WALL, now, nanos)
        .stack(threads.ownKey[i], 0, NO_STACK.code(), 0)
        .state(state.code());
    count(named && store.write(sample));
  }

  private void count(boolean written) {
    counters.add(written ? Counter.WALL_WRITTEN : Counter.WALL_DROPPED, 1);
  }
}
