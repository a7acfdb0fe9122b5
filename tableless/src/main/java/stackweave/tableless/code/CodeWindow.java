package stackweave.tableless.code;

import java.util.Arrays;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * The code that one analysis looks at, read in blocks, so that following instructions doesn't cost
 * a read each. Each block has some bytes of the next one, so that every instruction that begins in
 * it is whole. Reused; not thread-safe.
 */
public final class CodeWindow {
  /** Bytes of a block; a power of two that pages are multiples of. */
  private static final int BLOCK = 1024;

  private static final int BLOCKS = 16;

  private final int overlap;
  private final long[] addresses = new long[BLOCKS];
  private final byte[][] blocks = new byte[BLOCKS][];
  private final int[] lengths = new int[BLOCKS];
  private final boolean[] valid = new boolean[BLOCKS];
  private MemoryReader memory;
  private byte[] found;
  private int foundLength;

  /**
   * @param longest how many bytes an instruction has at most
   */
  public CodeWindow(int longest) {
    overlap = longest;
  }

  /** Forgets what was read: code may have changed since. */
  public void begin(MemoryReader code) {
    memory = code;
    Arrays.fill(valid, false);
  }

  /**
   * Looks for the instruction at {@code pc}.
   *
   * @return its index in {@link #bytes}, or -1 if it can't be read
   */
  public int find(long pc) {
    long address = pc & -BLOCK;
    int slot = (int) (address / BLOCK) & BLOCKS - 1;
    if (!valid[slot] || addresses[slot] != address) {
      read(slot, address);
    }
    int index = (int) (pc - address);
    found = blocks[slot];
    foundLength = lengths[slot];
    return index < foundLength ? index : -1;
  }

  /** Where the instruction found last is. */
  public byte[] bytes() {
    return found;
  }

  /** How many of {@link #bytes} were read. */
  public int length() {
    return foundLength;
  }

  private void read(int slot, long address) {
    if (blocks[slot] == null) {
      blocks[slot] = new byte[BLOCK + overlap];
    }
    byte[] block = blocks[slot];
    addresses[slot] = address;
    valid[slot] = true;
    lengths[slot] = block.length;
    try {
      memory.read(address, block, 0, block.length);
    } catch (UnreadableMemoryException e) {
      lengths[slot] = readBlockAlone(address, block);
    }
  }

  /** At the end of what is mapped. */
  private int readBlockAlone(long address, byte[] block) {
    try {
      memory.read(address, block, 0, BLOCK);
      return BLOCK;
    } catch (UnreadableMemoryException e) {
      return 0;
    }
  }
}
