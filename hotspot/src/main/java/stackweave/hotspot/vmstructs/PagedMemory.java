package stackweave.hotspot.vmstructs;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Memory read once by whole pages: the many small strings of libjvm's tables take a few dozen
 * reads. Only for memory that never changes; not thread-safe.
 */
public final class PagedMemory implements MemoryReader {
  private static final int PAGE = 4096;
  private static final int MAX_STRING_BYTES = 1024;

  private final MemoryReader memory;
  private final Map<Long, byte[]> pages = new HashMap<>();
  private final byte[] word = new byte[8];

  public PagedMemory(MemoryReader memory) {
    this.memory = memory;
  }

  @Override
  public long readLong(long address) throws UnreadableMemoryException {
    read(address, word, 0, 8);
    long value = 0;
    for (int i = 7; i >= 0; i--) {
      value = value << 8 | word[i] & 0xff;
    }
    return value;
  }

  @Override
  public void read(long address, byte[] target, int offset, int length)
      throws UnreadableMemoryException {
    for (int i = 0; i < length; ) {
      byte[] page = page(address + i);
      int from = (int) ((address + i) & (PAGE - 1));
      int n = Math.min(length - i, PAGE - from);
      System.arraycopy(page, from, target, offset + i, n);
      i += n;
    }
  }

  /** The zero-terminated string at {@code address}; null for a null pointer. */
  public String string(long address) throws UnreadableMemoryException {
    if (address == 0) {
      return null;
    }
    byte[] text = new byte[MAX_STRING_BYTES];
    for (int i = 0; i < MAX_STRING_BYTES; i++) {
      text[i] = page(address + i)[(int) ((address + i) & (PAGE - 1))];
      if (text[i] == 0) {
        return new String(text, 0, i, StandardCharsets.UTF_8);
      }
    }
    throw UnreadableMemoryException.UNREADABLE;
  }

  private byte[] page(long address) throws UnreadableMemoryException {
    long start = address & -PAGE;
    byte[] page = pages.get(start);
    if (page == null) {
      page = new byte[PAGE];
      memory.read(start, page, 0, PAGE);
      pages.put(start, page);
    }
    return page;
  }
}
