package stackweave.hotspot.memory;

import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.text.ModifiedUtf8;

/**
 * A copy of a range of the VM's memory, so that what is decoded from it can't change or vanish in
 * between. Offsets count from the first byte; little-endian. Lengths and offsets may be those that
 * a VM claims, and lie: too long a copy is unreadable, and what was not copied is zeros. Reused;
 * not thread-safe.
 */
public final class MemoryCopy {
  /** More than any structure of the VM: its list of threads, a method's debug information. */
  private static final int MAX_BYTES = 8 << 20;

  private byte[] bytes;
  private int length;

  /**
   * @param capacity bytes that it has room for at first; it grows when more are copied
   */
  public MemoryCopy(int capacity) {
    bytes = new byte[capacity];
  }

  /** Copies {@code length} bytes from {@code address} on; at most 8 MiB can be read. */
  public MemoryCopy copy(MemoryReader memory, long address, int length)
      throws UnreadableMemoryException {
    this.length = 0;
    if (length < 0 || length > MAX_BYTES) {
      throw UnreadableMemoryException.UNREADABLE;
    }
    makeRoom(length);
    memory.read(address, bytes, 0, length);
    this.length = length;
    return this;
  }

  private void makeRoom(int length) {
    if (bytes.length < length) {
      bytes = new byte[Math.max(length, 2 * bytes.length)];
    }
  }

  /** Forgets the first {@code count} bytes: offsets count from the one behind them. */
  public void drop(int count) {
    length -= count;
    System.arraycopy(bytes, count, bytes, 0, length);
  }

  private boolean has(int offset, int count) {
    return offset >= 0 && offset <= length - count;
  }

  /** How many bytes were copied. */
  public int length() {
    return length;
  }

  /** The bytes themselves, at least {@link #length} of them; not to be kept. */
  public byte[] bytes() {
    return bytes;
  }

  /** An unsigned byte. */
  public int u1(int offset) {
    return has(offset, 1) ? bytes[offset] & 0xff : 0;
  }

  /** Two bytes, unsigned. */
  public int u2(int offset) {
    return has(offset, 2) ? bytes[offset] & 0xff | (bytes[offset + 1] & 0xff) << 8 : 0;
  }

  /** Four bytes, signed. */
  public int i4(int offset) {
    return has(offset, 4) ? i4(bytes, offset) : 0;
  }

  /** Eight bytes. */
  public long i8(int offset) {
    return has(offset, 8) ? i8(bytes, offset) : 0;
  }

  /** Composed by hand: cold code is interpreted, where a VarHandle takes a microsecond. */
  private static int i4(byte[] bytes, int offset) {
    return bytes[offset] & 0xff
        | (bytes[offset + 1] & 0xff) << 8
        | (bytes[offset + 2] & 0xff) << 16
        | bytes[offset + 3] << 24;
  }

  /** The word in eight bytes. */
  public static long i8(byte[] bytes, int offset) {
    return i4(bytes, offset) & 0xffffffffL | (long) i4(bytes, offset + 4) << 32;
  }

  /** The characters of a HotSpot symbol; null if these bytes are no text, or were not copied. */
  public String text(int offset, int length) {
    return length >= 0 && has(offset, length) ? ModifiedUtf8.text(bytes, offset, length) : null;
  }
}
