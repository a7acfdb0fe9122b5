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

  // The page asked for last, which mostly is the next one too, and the one before it: tables and
  // their strings take turns.
  private byte[] last;
  private long lastStart = -1;
  private byte[] other;
  private long otherStart = -1;

  public PagedMemory(MemoryReader memory) {
    this.memory = memory;
  }

  @Override
  public long readLong(long address) throws UnreadableMemoryException {
    int from = (int) (address & (PAGE - 1));
    byte[] bytes = page(address);
    if (from > PAGE - 8) {
      bytes = new byte[8];
      read(address, bytes, 0, 8);
      from = 0;
    }
    long value = 0;
    for (int i = from + 7; i >= from; i--) {
      value = value << 8 | bytes[i] & 0xff;
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
    byte[] page = page(address);
    int from = (int) (address & (PAGE - 1));
    int end = from;
    while (end < PAGE && page[end] != 0) {
      end++;
    }
    if (end < PAGE && end - from < MAX_STRING_BYTES) {
      return new String(page, from, end - from, StandardCharsets.UTF_8);
    }
    return stringOfPages(address);
  }

  private String stringOfPages(long address) throws UnreadableMemoryException {
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
    if (start == lastStart) {
      return last;
    }
    byte[] page = start == otherStart ? other : known(start);
    other = last;
    otherStart = lastStart;
    last = page;
    lastStart = start;
    return page;
  }

  private byte[] known(long start) throws UnreadableMemoryException {
    byte[] page = pages.get(start);
    if (page == null) {
      page = new byte[PAGE];
      memory.read(start, page, 0, PAGE);
      pages.put(start, page);
    }
    return page;
  }
}
