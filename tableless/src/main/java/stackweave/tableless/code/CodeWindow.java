package stackweave.tableless.code;

import java.util.HashMap;
import java.util.Map;
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

  /** More blocks than the ways of one function lead through. */
  private static final int MAX_BLOCKS = 64;

  private final int overlap;
  private final Map<Long, byte[]> blocks = new HashMap<>();
  private MemoryReader memory;
  private byte[] found = {};

  /**
   * @param longest how many bytes an instruction has at most
   */
  public CodeWindow(int longest) {
    overlap = longest;
  }

  /** Forgets what was read: code may have changed since. */
  public void begin(MemoryReader code) {
    memory = code;
    blocks.clear();
  }

  /**
   * Looks for the instruction at {@code pc}.
   *
   * @return its index in {@link #bytes}, or -1 if it can't be read
   */
  public int find(long pc) {
    long address = pc & -BLOCK;
    if (blocks.size() == MAX_BLOCKS && !blocks.containsKey(address)) {
      blocks.clear();
    }
    found = blocks.computeIfAbsent(address, this::read);
    int index = (int) (pc - address);
    return index < found.length ? index : -1;
  }

  /** Where the instruction found last is. */
  public byte[] bytes() {
    return found;
  }

  /** How many of {@link #bytes} were read. */
  public int length() {
    return found.length;
  }

  /** At the end of what is mapped the block alone, or nothing. */
  private byte[] read(long address) {
    for (int length : new int[] {BLOCK + overlap, BLOCK}) {
      byte[] block = new byte[length];
      try {
        memory.read(address, block, 0, length);
        return block;
      } catch (UnreadableMemoryException e) {
        // Less may be there.
      }
    }
    return new byte[0];
  }
}
