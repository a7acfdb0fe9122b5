package stackweave.unwind;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;

/**
 * A growing array of ints in a {@link TableMemory}. Not thread-safe.
 *
 * @hidden no part of the API
 */
public final class IntTable {
  private final TableMemory memory;
  private ByteBuffer bytes;
  private IntBuffer ints;

  /**
   * A table of zeros.
   *
   * @param capacity how many ints there are, zeros at first
   */
  public IntTable(TableMemory memory, int capacity) {
    this.memory = memory;
    allocate(capacity);
  }

  private void allocate(int capacity) {
    bytes = memory.allocate(Math.multiplyExact(capacity, Integer.BYTES));
    ints = bytes.order(ByteOrder.nativeOrder()).asIntBuffer();
  }

  /** How many ints there are. */
  public int capacity() {
    return ints.capacity();
  }

  /** The int at {@code index}, from 0 to below {@link #capacity}. */
  public int get(int index) {
    return ints.get(index);
  }

  /** Sets the int at {@code index}, from 0 to below {@link #capacity}. */
  public void set(int index, int value) {
    ints.put(index, value);
  }

  /** Sets {@code count} ints from {@code index} on. */
  public void set(int index, int[] values, int count) {
    ints.put(index, values, 0, count);
  }

  /** Sets all to 0. */
  public void clear() {
    for (int i = 0; i < ints.capacity(); i++) {
      ints.put(i, 0);
    }
  }

  /** Makes it longer; the ints that are there stay. */
  public void grow(int capacity) {
    ByteBuffer oldBytes = bytes;
    IntBuffer old = ints;
    allocate(capacity);
    ints.put(0, old, 0, old.capacity());
    memory.release(oldBytes);
  }
}
