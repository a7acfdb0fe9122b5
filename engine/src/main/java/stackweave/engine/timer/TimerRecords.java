package stackweave.engine.timer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import stackweave.engine.EngineSink;
import stackweave.engine.KernelClock;
import stackweave.engine.timer.handler.HandlerLayout;
import stackweave.engine.timer.handler.HandlerMemory;
import stackweave.engine.timer.threads.TimerThreads;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Takes the records out of the handler's ring, in the order in which handlers reserved space, which
 * is that of time to within microseconds. Used by {@link TimerEngine}; for the drain thread only.
 *
 * <p>Memory ordering: a record's commit word is written last, with release, and read first, with
 * acquire. The first word of every unit that doesn't begin a record is 0, since the reader clears
 * it before it releases the space. So a record is either complete or absent.
 */
final class TimerRecords {
  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  /**
   * How long to wait for an unfinished record, and all after it. A thread that stays in the handler
   * longer is stopped, or was cancelled as POSIX threads can be.
   */
  private static final long PATIENCE_NANOS = 2_000_000_000L;

  private final HandlerMemory memory;
  private final HandlerLayout layout;
  private final TimerThreads threads;
  private final long clockOffset;
  private final ByteBuffer ring;
  private final int ringBytes;
  private final StackSnapshot snapshot;
  private long position;

  /** Position up to which waiting samples were checked. */
  private long looked;

  private long waitingSince;
  private long latest = Long.MIN_VALUE;
  private long samples;
  private long coveredNanos;
  private long abandoned;
  private long late;
  private long malformed;
  private long withoutStack;

  TimerRecords(
      HandlerMemory memory,
      HandlerLayout layout,
      TimerThreads threads,
      KernelClock clock,
      StackSnapshot snapshot) {
    this.memory = memory;
    this.layout = layout;
    this.threads = threads;
    this.clockOffset = clock.offset();
    this.snapshot = snapshot;
    this.ring = memory.ring();
    this.ringBytes = memory.ringBytes();
    this.position = memory.get(HandlerLayout.PROCESS_HEAD);
    memory.set(HandlerLayout.PROCESS_TAIL, position);
  }

  long samples() {
    return samples;
  }

  long coveredNanos() {
    return coveredNanos;
  }

  /** Records that were started and never finished. */
  long abandoned() {
    return abandoned;
  }

  /** Records that came after a later one had been delivered. */
  long late() {
    return late;
  }

  long malformed() {
    return malformed;
  }

  /** Samples without a stack, because their thread's stack is unknown, or it ran on another. */
  long withoutStack() {
    return withoutStack;
  }

  /** Whether the ring is empty. */
  boolean isEmpty() {
    return waiting() == 0;
  }

  /** The position behind the last record. */
  long end() {
    return memory.get(HandlerLayout.PROCESS_HEAD);
  }

  /** Whether all records were delivered before an {@link #end}. */
  boolean isPast(long end) {
    return position >= end;
  }

  /** Bytes of all waiting records. */
  long waiting() {
    return memory.get(HandlerLayout.PROCESS_HEAD) - position;
  }

  /**
   * Whether a waiting sample must be drained soon: it is of a thread's youth, or the first of a
   * thread, or its stack may be deeper than its copy.
   */
  boolean isAnyUrgent() {
    long head = memory.get(HandlerLayout.PROCESS_HEAD);
    looked = Math.max(looked, position);
    while (looked < head) {
      int at = (int) looked & ringBytes - 1;
      int bytes = (int) (long) LONGS.getAcquire(ring, at);
      if (bytes <= 0 || bytes % HandlerLayout.UNIT != 0) {
        return bytes != 0; // not finished, or unsound
      }
      if (threads.isNew(ring.getLong(at + HandlerLayout.RECORD_IDENTITY))
          || ring.getInt(at + HandlerLayout.RECORD_STACK_BYTES) >= snapshot.maxStackBytes()) {
        return true;
      }
      looked = Math.min(looked + bytes, head);
    }
    return false;
  }

  /**
   * Delivers the samples up to a time.
   *
   * @param settled whether no handler runs any more, so that unfinished records stay so
   * @return how many
   */
  int drain(long until, boolean settled, EngineSink sink) {
    int count = 0;
    long head = memory.get(HandlerLayout.PROCESS_HEAD);
    while (position < head) {
      int at = (int) position & ringBytes - 1;
      long commit = (long) LONGS.getAcquire(ring, at);
      if (commit == 0 ? !abandon(head, settled) : !isSound(commit, at, head)) {
        break;
      }
      if (commit == 0) {
        continue;
      }
      waitingSince = 0;
      long time = time(at);
      if (time > until) {
        break;
      }
      long weight = weigh(at, time);
      boolean wanted = sink.wantsSample();
      if (wanted) {
        threads.deliver(ring.getLong(at + HandlerLayout.RECORD_IDENTITY));
        decode(at, time, weight);
      }
      giveUpTo(position + (int) commit);
      count++;
      if (wanted) {
        sink.sample(snapshot);
      }
    }
    return count;
  }

  /** Whether the record's size fits its contents; if not, the ring is discarded up to its head. */
  private boolean isSound(long commit, int at, long head) {
    int bytes = (int) commit;
    int stack = ring.getInt(at + HandlerLayout.RECORD_STACK_BYTES);
    boolean sound =
        commit >>> 32 == (position >>> HandlerLayout.UNIT_SHIFT & 0xffff_ffffL)
            && bytes > 0
            && bytes % HandlerLayout.UNIT == 0
            && bytes <= head - position
            && stack >= 0
            && stack <= bytes - layout.recordStack()
            && stack <= snapshot.maxStackBytes();
    if (!sound) {
      malformed++;
      giveUpTo(head);
    }
    return sound;
  }

  /** Skips an unfinished record after {@link #PATIENCE_NANOS}. */
  private boolean abandon(long head, boolean settled) {
    long now = System.nanoTime();
    if (waitingSince == 0) {
      waitingSince = now;
    }
    if (!settled && now - waitingSince < PATIENCE_NANOS) {
      return false;
    }
    waitingSince = 0;
    abandoned++;
    long next = position + HandlerLayout.UNIT;
    while (next < head && (long) LONGS.getAcquire(ring, (int) next & ringBytes - 1) == 0) {
      next += HandlerLayout.UNIT;
    }
    giveUpTo(next);
    return true;
  }

  private long time(int at) {
    long time =
        ring.getLong(at + HandlerLayout.RECORD_TIME) * NANOS_PER_SECOND
            + ring.getLong(at + HandlerLayout.RECORD_TIME + Long.BYTES);
    return time == 0 ? System.nanoTime() : time + clockOffset;
  }

  /** Counts the record; returns the CPU time that it stands for, in ns. */
  private long weigh(int at, long time) {
    if (time < latest) {
      late++;
    } else {
      latest = time;
    }
    long identity = ring.getLong(at + HandlerLayout.RECORD_IDENTITY);
    int overrun = Math.max(0, ring.getInt(at + HandlerLayout.RECORD_OVERRUN));
    long weight = threads.weigh(identity, overrun);
    samples++;
    coveredNanos += weight;
    return weight;
  }

  private void decode(int at, long time, long weight) {
    snapshot.clear();
    snapshot.setTimeNanos(time);
    snapshot.setTid(TimerThreads.tid(ring.getLong(at + HandlerLayout.RECORD_IDENTITY)));
    snapshot.setWeightNanos(weight);
    layout.readRegisters(ring, at, snapshot.registers());
    snapshot.setHasRegisters(true);
    int length = ring.getInt(at + HandlerLayout.RECORD_STACK_BYTES);
    ring.get(at + layout.recordStack(), snapshot.stackBytes(length), 0, length);
    snapshot.setStack(snapshot.registers().sp(), length);
    snapshot.setStackUnknown(length == 0);
    withoutStack += length == 0 ? 1 : 0;
  }

  /** Releases space to the handlers, after clearing the first word of each unit. */
  private void giveUpTo(long end) {
    for (; position < end; position += HandlerLayout.UNIT) {
      LONGS.setOpaque(ring, (int) position & ringBytes - 1, 0L);
    }
    memory.set(HandlerLayout.PROCESS_TAIL, position);
  }
}
