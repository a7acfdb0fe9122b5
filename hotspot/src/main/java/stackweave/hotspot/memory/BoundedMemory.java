package stackweave.hotspot.memory;

import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * The memory of a process whose structures may be made to lead on and on: so many reads for one
 * sample, then nothing is readable until the next one. Used by all who decode frames. Not
 * thread-safe.
 */
public final class BoundedMemory implements MemoryReader {
  /**
   * A quarter of a second of system calls. Frames that were never met take up to 25 of them each,
   * so that a stack of 8,192 has enough.
   */
  public static final int MAX_READS = 1 << 18;

  /** A longer read counts as several: what is read is decoded, too. */
  private static final int LOG2_BYTES = 10;

  private final MemoryReader memory;
  private final int most;
  private final int[] left;

  /** With {@link #MAX_READS}. */
  public BoundedMemory(MemoryReader memory) {
    this(memory, MAX_READS);
  }

  /**
   * @param most reads from one {@link #begin} to the next
   */
  public BoundedMemory(MemoryReader memory, int most) {
    this(memory, most, new int[] {most});
  }

  private BoundedMemory(MemoryReader memory, int most, int[] left) {
    this.memory = memory;
    this.most = most;
    this.left = left;
  }

  /** The same memory by another reader, with one bound for both. */
  public BoundedMemory by(MemoryReader reader) {
    return new BoundedMemory(reader, most, left);
  }

  /** Begins a sample, or whatever else is bounded. */
  public void begin() {
    left[0] = most;
  }

  @Override
  public long readLong(long address) throws UnreadableMemoryException {
    count(Long.BYTES);
    return memory.readLong(address);
  }

  @Override
  public void read(long address, byte[] target, int offset, int length)
      throws UnreadableMemoryException {
    count(length);
    memory.read(address, target, offset, length);
  }

  private void count(int bytes) throws UnreadableMemoryException {
    left[0] -= 1 + (bytes >> LOG2_BYTES);
    if (left[0] < 0) {
      left[0] = 0;
      throw UnreadableMemoryException.UNREADABLE;
    }
  }
}
