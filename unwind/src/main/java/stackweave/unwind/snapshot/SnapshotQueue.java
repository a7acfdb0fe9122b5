package stackweave.unwind.snapshot;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Samples on their way from the thread that takes those of many processes out of the kernel's rings
 * to the thread that decodes those of one, in order of time. It grows with what waits, up to a
 * limit; samples that find no room are counted. Thread-safe; no method waits.
 */
public final class SnapshotQueue {
  /** Bytes that it begins with: some twenty samples of usual depth. */
  private static final int FIRST_BYTES = 256 << 10;

  /** If it became larger, it becomes small again when it is empty. */
  private static final int KEPT_BYTES = 1 << 20;

  // Offsets in a record; behind them is what the snapshot writes.
  private static final int SIZE = 0;
  private static final int TID = 4;
  private static final int TIME = 8;
  private static final int WEIGHT = 16;
  private static final int STACK_POINTER = 24;
  private static final int CONTENTS = 32;

  private final int mostBytes;
  private ByteBuffer records = allocate(FIRST_BYTES);

  /** The records that wait are between these. */
  private int begin;

  private int end;
  private long lost;

  /**
   * @param mostBytes more than {@link StackSnapshot#MAX_STACK_BYTES} and {@link
   *     OlderCopy#MOST_BYTES} together
   */
  public SnapshotQueue(int mostBytes) {
    this.mostBytes = mostBytes;
  }

  private static ByteBuffer allocate(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
  }

  /** Adds a sample, or counts it as lost. */
  public synchronized void put(StackSnapshot snapshot) {
    int size = CONTENTS + snapshot.writtenBytes();
    if (!makeRoom(size)) {
      lost++;
      return;
    }
    records.putInt(end + SIZE, size);
    records.putInt(end + TID, snapshot.tid());
    records.putLong(end + TIME, snapshot.timeNanos());
    records.putLong(end + WEIGHT, snapshot.weightNanos());
    records.putLong(end + STACK_POINTER, snapshot.stackAddress());
    snapshot.writeTo(records.position(end + CONTENTS));
    end += size;
  }

  private boolean makeRoom(int size) {
    int waiting = end - begin;
    if (size > mostBytes - waiting) {
      return false;
    }
    if (size > records.capacity() - end) {
      ByteBuffer target = records;
      if (size > records.capacity() - waiting) {
        int needed = Integer.highestOneBit(waiting + size) << 1;
        target = allocate(Math.min(mostBytes, needed));
      }
      System.arraycopy(records.array(), begin, target.array(), 0, waiting);
      records = target;
      begin = 0;
      end = waiting;
    }
    return true;
  }

  /** Samples that found no room so far. */
  public synchronized long lost() {
    return lost;
  }

  /** The time of the first sample, by {@link System#nanoTime}; {@link Long#MAX_VALUE} if empty. */
  public synchronized long time() {
    return begin == end ? Long.MAX_VALUE : records.getLong(begin + TIME);
  }

  /** The thread of the first sample; there must be one. */
  public synchronized int tid() {
    return records.getInt(begin + TID);
  }

  /** The weight of the first sample, in ns; there must be one. */
  public synchronized long weightNanos() {
    return records.getLong(begin + WEIGHT);
  }

  /**
   * Removes the first sample; there must be one.
   *
   * @param snapshot receives it; null to discard it
   */
  public synchronized void take(StackSnapshot snapshot) {
    if (snapshot != null) {
      snapshot.clear();
      snapshot.setTid(tid());
      snapshot.setTimeNanos(time());
      snapshot.setWeightNanos(weightNanos());
      snapshot.readFrom(records.position(begin + CONTENTS));
    }
    begin += records.getInt(begin + SIZE);
    if (begin == end) {
      begin = 0;
      end = 0;
      if (records.capacity() > KEPT_BYTES) {
        records = allocate(FIRST_BYTES);
      }
    }
  }

  /** Share of the limit that waits, 0 to 1. */
  public synchronized double backlog() {
    return (double) (end - begin) / mostBytes;
  }

  /** The highest stack pointer of a thread among the samples that wait; 0 for none. */
  public synchronized long highestStackPointer(int tid) {
    long highest = 0;
    for (int at = begin; at < end; at += records.getInt(at + SIZE)) {
      long sp = records.getLong(at + STACK_POINTER);
      if (records.getInt(at + TID) == tid && Long.compareUnsigned(sp, highest) > 0) {
        highest = sp;
      }
    }
    return highest;
  }
}
