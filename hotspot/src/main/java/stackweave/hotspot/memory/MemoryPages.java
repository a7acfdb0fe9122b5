package stackweave.hotspot.memory;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import stackweave.unwind.HeapShare;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Reads memory by pages of 4 KiB, so that the many small structures of one stack, and of those
 * taken together with it, cost few calls of the kernel. Used by the readers of methods and call
 * sites, and, without samples, to read what never changes, such as the tables of libjvm.
 *
 * <p>A page may be used for a sample only if it was read after the sample was taken: what the
 * sample shows running was complete by then. An older page might still hold what was there before.
 * And none is used across an unloading of classes ({@link #clear}). So a sample sees nothing that
 * reading word by word would not have shown it. Not thread-safe.
 */
public final class MemoryPages implements MemoryReader {
  private static final int LOG2_PAGE = 12;
  private static final int PAGE = 1 << LOG2_PAGE;

  /** A power of two; fewer where the heap, in which they are kept, is small. */
  private static final int SLOTS = Math.max(16, HeapShare.of(64));

  private static final int LOG2_SLOTS = Integer.numberOfTrailingZeros(SLOTS);
  private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;
  private static final long NO_PAGE = -1;
  private static final int MAX_STRING_BYTES = 1024;

  private final MemoryReader memory;
  private final byte[][] pages = new byte[SLOTS][];
  private final long[] numbers = new long[SLOTS];

  /** When the reading of each page began, by {@link System#nanoTime}. */
  private final long[] times = new long[SLOTS];

  private final byte[] word = new byte[Long.BYTES];
  private long sampleTime = Long.MAX_VALUE;

  public MemoryPages(MemoryReader memory) {
    this.memory = memory;
    clear();
  }

  /**
   * Begins a sample.
   *
   * @param timeNanos when it was taken, by {@link System#nanoTime}; {@link Long#MAX_VALUE} if it is
   *     being taken: then no page that is there is used
   */
  public void begin(long timeNanos) {
    if (timeNanos == Long.MAX_VALUE) {
      clear();
    }
    sampleTime = timeNanos;
  }

  /** Forgets all pages. */
  public void clear() {
    Arrays.fill(numbers, NO_PAGE);
  }

  @Override
  public long readLong(long address) throws UnreadableMemoryException {
    int from = (int) address & (PAGE - 1);
    if (from > PAGE - Long.BYTES) {
      read(address, word, 0, Long.BYTES);
      return MemoryCopy.i8(word, 0);
    }
    return MemoryCopy.i8(pages[page(address)], from);
  }

  @Override
  public void read(long address, byte[] target, int offset, int length)
      throws UnreadableMemoryException {
    for (int done = 0; done < length; ) {
      int from = (int) (address + done) & (PAGE - 1);
      int piece = Math.min(length - done, PAGE - from);
      System.arraycopy(pages[page(address + done)], from, target, offset + done, piece);
      done += piece;
    }
  }

  /** The zero-terminated string at {@code address}; null for a null pointer. */
  public String string(long address) throws UnreadableMemoryException {
    if (address == 0) {
      return null;
    }
    byte[] page = pages[page(address)];
    int from = (int) address & (PAGE - 1);
    int end = from;
    while (end < PAGE && page[end] != 0) {
      end++;
    }
    return end < PAGE && end - from < MAX_STRING_BYTES
        ? new String(page, from, end - from, StandardCharsets.UTF_8)
        : stringOfPages(address);
  }

  private String stringOfPages(long address) throws UnreadableMemoryException {
    byte[] text = new byte[MAX_STRING_BYTES];
    for (int i = 0; i < MAX_STRING_BYTES; i++) {
      read(address + i, text, i, 1);
      if (text[i] == 0) {
        return new String(text, 0, i, StandardCharsets.UTF_8);
      }
    }
    throw UnreadableMemoryException.UNREADABLE;
  }

  /** The slot of the page that holds {@code address}, read if need be. */
  private int page(long address) throws UnreadableMemoryException {
    long number = address >>> LOG2_PAGE;
    int slot = slot(number);
    if (isUsable(slot, number)) {
      return slot;
    }
    byte[] page = bytesOf(slot);
    numbers[slot] = NO_PAGE;
    times[slot] = System.nanoTime();
    memory.read(number << LOG2_PAGE, page, 0, PAGE);
    numbers[slot] = number;
    return slot;
  }

  /**
   * Whether the page may be used for the sample at hand: one that is being taken needs pages that
   * were read for it, and all others were forgotten when it began.
   */
  private boolean isUsable(int slot, long number) {
    return numbers[slot] == number && (times[slot] > sampleTime || sampleTime == Long.MAX_VALUE);
  }

  private byte[] bytesOf(int slot) {
    if (pages[slot] == null) {
      pages[slot] = new byte[PAGE];
    }
    return pages[slot];
  }

  private static int slot(long number) {
    return (int) (number * GOLDEN_RATIO >>> Long.SIZE - LOG2_SLOTS);
  }
}
