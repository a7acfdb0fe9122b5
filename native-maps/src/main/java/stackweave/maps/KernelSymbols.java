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

  private static final byte[] HIDDEN = "0000000000000000".getBytes(StandardCharsets.US_ASCII);

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
      byte[] start = in.readNBytes(HIDDEN.length);
      // Hidden addresses are hidden in every line: 5 MB not read.
      return Arrays.equals(start, HIDDEN) ? EMPTY : parse(start, in.readAllBytes());
    } catch (IOException e) {
      return EMPTY;
    }
  }

  private static KernelSymbols parse(byte[] start, byte[] rest) {
    byte[] text = Arrays.copyOf(start, start.length + rest.length);
    System.arraycopy(rest, 0, text, start.length, rest.length);
    Builder symbols = new Builder(text);
    int position = 0;
    while (position < text.length) {
      position = symbols.line(position);
    }
    return symbols.build();
  }

  /** Collects the symbols of code line by line; their names stay where they are in the text. */
  private static final class Builder {
    private final byte[] text;
    private long[] addresses = new long[1 << 17];
    private int[] nameOffsets = new int[1 << 17];
    private int count;

    Builder(byte[] text) {
      this.text = text;
    }

    /** Takes the line at {@code position}; returns where the next one begins. */
    int line(int position) {
      int at = position;
      long address = 0;
      while (at < text.length && text[at] > ' ') {
        address = address << 4 | (Character.digit(text[at++], 16) & 0xf);
      }
      int type = at + 1 < text.length ? text[at + 1] | 0x20 : 0;
      int name = at + 3;
      if (address != 0 && (type == 't' || type == 'w') && name < text.length) {
        add(address, name);
      }
      while (at < text.length && text[at] != '\n') {
        at++;
      }
      return at + 1;
    }

    private void add(long address, int name) {
      if (count == addresses.length) {
        addresses = Arrays.copyOf(addresses, 2 * count);
        nameOffsets = Arrays.copyOf(nameOffsets, 2 * count);
      }
      addresses[count] = address ^ Long.MIN_VALUE;
      nameOffsets[count++] = name;
    }

    /** Sorted by address; the first of several symbols of one address stays the first. */
    KernelSymbols build() {
      int sorted = 1;
      while (sorted < count && addresses[sorted - 1] <= addresses[sorted]) {
        sorted++;
      }
      // The kernel's own symbols come sorted, those of its modules after them are not.
      int[] order = new int[count];
      Integer[] tail = new Integer[Math.max(count - sorted, 0)];
      for (int i = 0; i < tail.length; i++) {
        tail[i] = sorted + i;
      }
      Arrays.sort(tail, Comparator.comparingLong(i -> addresses[i]));
      int head = 0;
      int next = 0;
      for (int i = 0; i < count; i++) {
        boolean takeHead =
            next == tail.length || (head < sorted && addresses[head] <= addresses[tail[next]]);
        order[i] = takeHead ? head++ : tail[next++];
      }
      long[] starts = new long[count];
      int[] names = new int[count];
      byte[] pool = new byte[text.length / 2];
      int used = 0;
      for (int i = 0; i < count; i++) {
        starts[i] = addresses[order[i]];
        names[i] = used;
        for (int at = nameOffsets[order[i]]; at < text.length && text[at] > ' '; at++) {
          if (used + 1 >= pool.length) {
            pool = Arrays.copyOf(pool, 2 * pool.length);
          }
          pool[used++] = text[at];
        }
        pool[used++] = 0;
      }
      return new KernelSymbols(starts, names, Arrays.copyOf(pool, used));
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
