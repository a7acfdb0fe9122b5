package stackweave.hotspot;

import java.util.Arrays;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/** Memory that shows nothing but zeros in pieces of a certain length, for so many times. */
public final class LyingMemory implements MemoryReader {
  private final MemoryReader truth;
  private int length;
  private int lies;

  LyingMemory(MemoryReader truth) {
    this.truth = truth;
  }

  /** The next so many reads of that many bytes are lies. */
  void lie(int times, int ofLength) {
    lies = times;
    length = ofLength;
  }

  int lies() {
    return lies;
  }

  @Override
  public long readLong(long address) throws UnreadableMemoryException {
    return truth.readLong(address);
  }

  @Override
  public void read(long address, byte[] target, int offset, int count)
      throws UnreadableMemoryException {
    truth.read(address, target, offset, count);
    if (lies > 0 && count == length) {
      lies--;
      Arrays.fill(target, offset, offset + count, (byte) 0);
    }
  }
}
