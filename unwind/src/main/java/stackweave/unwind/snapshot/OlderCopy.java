package stackweave.unwind.snapshot;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Pages of the older part of a sampled stack, copied at the interrupt. Between these and the copy
 * of the stack's top may be a gap, such as a buffer of which nothing is needed. Mutable and reused;
 * it grows to {@value #MOST_BYTES} bytes where stacks need it. Not thread-safe.
 */
public final class OlderCopy {
  /** The smallest page of any kernel: all of it can be read, or nothing. */
  public static final int PAGE_BYTES = 4 << 10;

  /** The most pages: there is a bit for each. */
  public static final int MOST_PAGES = Long.SIZE;

  /** Bytes of all pages. */
  public static final int MOST_BYTES = MOST_PAGES * PAGE_BYTES;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private byte[] bytes = {};
  private long address;
  private boolean needKnown;
  private long stackEnd;
  private long neededFrom;

  /** A bit for each page from {@link #address} on. */
  private long present;

  /** Whether it has no page. */
  public boolean isEmpty() {
    return present == 0;
  }

  /** Forgets all pages, and what was needed. */
  public void clear() {
    present = 0;
    needKnown = false;
  }

  /**
   * Says what the walk has shown of the stack, for the copy of the thread's next sample.
   *
   * @param end the address above the stack; 0 if not known
   * @param first the first address that was needed above the copy of the stack's top; 0 if none was
   */
  public void setNeeded(long end, long first) {
    needKnown = true;
    stackEnd = end;
    neededFrom = first;
  }

  /** Whether {@link #setNeeded} was called for this sample. */
  public boolean isNeedKnown() {
    return needKnown;
  }

  /** The address above the stack; 0 if not known. */
  public long stackEnd() {
    return stackEnd;
  }

  /** The first address that was needed above the copy of the stack's top; 0 if none was. */
  public long neededFrom() {
    return neededFrom;
  }

  /**
   * Adds a page. One that is below the first that was added, or too far above it, is left out.
   *
   * @param pageAddress a multiple of {@value #PAGE_BYTES}
   * @param source has its contents from {@code at} on
   */
  public void add(long pageAddress, ByteBuffer source, int at) {
    address = present == 0 ? pageAddress : address;
    long page = (pageAddress - address) / PAGE_BYTES;
    if (page >= 0 && page < MOST_PAGES) {
      if (bytes.length == 0) {
        bytes = new byte[MOST_BYTES]; // once: no other sample allocates
      }
      source.get(at, bytes, (int) page * PAGE_BYTES, PAGE_BYTES);
      present |= 1L << page;
    }
  }

  /** How many bytes {@link #writeTo} writes. */
  int writtenBytes() {
    return 2 * Long.BYTES + Long.bitCount(present) * PAGE_BYTES;
  }

  /** Writes the pages. */
  void writeTo(ByteBuffer target) {
    target.putLong(present).putLong(address);
    for (long left = present; left != 0; left &= left - 1) {
      target.put(bytes, Long.numberOfTrailingZeros(left) * PAGE_BYTES, PAGE_BYTES);
    }
  }

  /** Reads the pages that another copy {@linkplain #writeTo has written}, after {@link #clear}. */
  void readFrom(ByteBuffer source) {
    long pages = source.getLong();
    long first = source.getLong();
    for (long left = pages; left != 0; left &= left - 1) {
      add(first + (long) Long.numberOfTrailingZeros(left) * PAGE_BYTES, source, source.position());
      source.position(source.position() + PAGE_BYTES);
    }
  }

  /** Whether so many bytes from an address on were copied. */
  public boolean has(long from, int count) {
    long offset = from - address;
    if (present == 0 || offset < 0 || offset > MOST_BYTES - count) {
      return false;
    }
    long last = (offset + count - 1) / PAGE_BYTES;
    for (long page = offset / PAGE_BYTES; page <= last; page++) {
      if ((present & 1L << page) == 0) {
        return false;
      }
    }
    return true;
  }

  /** Whether it has the same bytes as a copy of the stack's top where both have them. */
  boolean fits(byte[] stack, long stackAddress, int length) {
    for (int page = 0; page < MOST_PAGES; page++) {
      long from = address + (long) page * PAGE_BYTES;
      long first = Math.max(from, stackAddress);
      long both = Math.min(from + PAGE_BYTES, stackAddress + length) - first;
      if ((present & 1L << page) != 0 && both > 0) {
        int count = (int) both;
        int mine = (int) (first - address);
        int other = (int) (first - stackAddress);
        if (!Arrays.equals(bytes, mine, mine + count, stack, other, other + count)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Copies bytes that {@linkplain #has there are}. */
  void read(long from, byte[] target, int offset, int count) {
    System.arraycopy(bytes, (int) (from - address), target, offset, count);
  }

  /** A word that {@linkplain #has there is}, in the byte order of this machine. */
  public long getLong(long from) {
    return (long) LONGS.get(bytes, (int) (from - address));
  }
}
