package stackweave.maps;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;

/**
 * Names of kernel code, from /proc/kallsyms: one {@code address type name [module]} a line, sorted
 * here by address. Immutable once read; about 20 bytes a symbol plus the names.
 *
 * <p>Where the kernel hides addresses (kernel.kptr_restrict, no CAP_SYSLOG) every line says 0: then
 * there are no symbols, and a kernel frame has no name but {@code [kernel]}.
 */
public final class KernelSymbols {
  /** No symbol covers the address. */
  public static final int NONE = -1;

  /** Longer than any line. */
  private static final int BUFFER = 1 << 16;

  private static final KernelSymbols EMPTY =
      new KernelSymbols(new long[0], new int[0], new byte[0]);

  private final long[] addresses;
  private final int[] nameOffsets;
  private final byte[] names;

  private KernelSymbols(long[] addresses, int[] nameOffsets, byte[] names) {
    this.addresses = addresses;
    this.nameOffsets = nameOffsets;
    this.names = names;
  }

  /** Reads a file of the format of /proc/kallsyms; without access, or without addresses, empty. */
  public static KernelSymbols read(Path kallsyms) {
    try (InputStream in = Files.newInputStream(kallsyms)) {
      Builder symbols = new Builder();
      byte[] text = new byte[BUFFER];
      int length = 0;
      for (int read = in.read(text); read > 0; read = in.read(text, length, BUFFER - length)) {
        length += read;
        int taken = symbols.lines(text, length);
        if (taken > 0 && !symbols.shown) {
          // Hidden in some lines, hidden in all: 5 MB not read. The first line alone says nothing,
          // for up to Linux 6.14 x86-64 has a symbol at 0.
          return EMPTY;
        }
        System.arraycopy(text, taken, text, 0, length - taken);
        // A line that is longer than the buffer is no line of this format.
        length = taken == 0 && length == BUFFER ? 0 : length - taken;
      }
      symbols.line(text, 0, length);
      return symbols.build();
    } catch (IOException e) {
      return EMPTY;
    }
  }

  /** Collects the symbols of code; of the text nothing is kept but their names. */
  private static final class Builder {
    private long[] addresses = new long[1 << 16];
    private int[] nameOffsets = new int[1 << 16];
    private int count;

    /** Whether an address was met that is not 0. */
    private boolean shown;

    private byte[] names = new byte[1 << 20];
    private int namesLength;

    /** Takes all lines that are whole; returns how many bytes they are. */
    int lines(byte[] text, int length) {
      int from = 0;
      for (int at = 0; at < length; at++) {
        if (text[at] == '\n') {
          line(text, from, at);
          from = at + 1;
        }
      }
      return from;
    }

    /** Takes the line between two places of the text. */
    void line(byte[] text, int from, int to) {
      int at = from;
      long address = 0;
      while (at < to && text[at] > ' ') {
        address = address << 4 | (Character.digit(text[at++], 16) & 0xf);
      }
      shown |= address != 0;
      int type = at + 1 < to ? text[at + 1] | 0x20 : 0;
      int name = at + 3;
      if (address == 0 || type != 't' && type != 'w' || name >= to) {
        return;
      }
      int end = name;
      while (end < to && text[end] > ' ') {
        end++;
      }
      add(address, text, name, end - name);
    }

    private void add(long address, byte[] text, int name, int length) {
      if (count == addresses.length) {
        addresses = Arrays.copyOf(addresses, 2 * count);
        nameOffsets = Arrays.copyOf(nameOffsets, 2 * count);
      }
      if (names.length - namesLength <= length) {
        names = Arrays.copyOf(names, 2 * names.length + length);
      }
      addresses[count] = address ^ Long.MIN_VALUE;
      nameOffsets[count++] = namesLength;
      System.arraycopy(text, name, names, namesLength, length);
      namesLength += length + 1;
    }

    /** Sorted by address; the first of several symbols of one address stays the first. */
    KernelSymbols build() {
      int sorted = Math.min(1, count);
      while (sorted < count && addresses[sorted - 1] <= addresses[sorted]) {
        sorted++;
      }
      // The kernel's own symbols come sorted, those of its modules after them are not.
      Integer[] tail = new Integer[count - sorted];
      for (int i = 0; i < tail.length; i++) {
        tail[i] = sorted + i;
      }
      Arrays.sort(tail, Comparator.comparingLong(i -> addresses[i]));
      long[] starts = new long[count];
      int[] offsets = new int[count];
      int head = 0;
      int next = 0;
      for (int i = 0; i < count; i++) {
        boolean takeHead =
            next == tail.length || (head < sorted && addresses[head] <= addresses[tail[next]]);
        int symbol = takeHead ? head++ : tail[next++];
        starts[i] = addresses[symbol];
        offsets[i] = nameOffsets[symbol];
      }
      return new KernelSymbols(starts, offsets, Arrays.copyOf(names, namesLength));
    }
  }

  /** The symbol at or below {@code address}, or {@link #NONE}. */
  public int find(long address) {
    int i = Arrays.binarySearch(addresses, address ^ Long.MIN_VALUE);
    if (i >= 0) {
      while (i > 0 && addresses[i - 1] == addresses[i]) {
        i--;
      }
      return i;
    }
    return -i - 2;
  }

  /** Where symbol {@code i} starts. */
  public long start(int i) {
    return addresses[i] ^ Long.MIN_VALUE;
  }

  /** What symbol {@code i} is called. */
  public String name(int i) {
    int end = nameOffsets[i];
    while (names[end] != 0) {
      end++;
    }
    return new String(names, nameOffsets[i], end - nameOffsets[i], StandardCharsets.UTF_8);
  }

  /** How many symbols there are; 0 where the kernel hides them. */
  public int size() {
    return addresses.length;
  }
}
