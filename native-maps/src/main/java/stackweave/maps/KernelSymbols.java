package stackweave.maps;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

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
    try (InputStream in = new BufferedInputStream(Files.newInputStream(kallsyms), 1 << 16)) {
      return parse(in);
    } catch (IOException e) {
      return EMPTY;
    }
  }

  private static KernelSymbols parse(InputStream in) throws IOException {
    long[] addresses = new long[1 << 17];
    int[] nameOffsets = new int[1 << 17];
    ByteArrayOutputStream names = new ByteArrayOutputStream(1 << 21);
    int count = 0;
    while (true) {
      int c = in.read();
      if (c < 0) {
        break;
      }
      long address = 0;
      for (; c > ' '; c = in.read()) {
        address = address << 4 | Character.digit(c, 16);
      }
      int type = in.read();
      in.read();
      boolean code = address != 0 && ((type | 0x20) == 't' || (type | 0x20) == 'w');
      if (code && count == addresses.length) {
        addresses = Arrays.copyOf(addresses, 2 * count);
        nameOffsets = Arrays.copyOf(nameOffsets, 2 * count);
      }
      if (code) {
        addresses[count] = address;
        nameOffsets[count++] = names.size();
      }
      boolean inName = true;
      for (c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
        inName &= c > ' ';
        if (code && inName) {
          names.write(c);
        }
      }
      if (code) {
        names.write(0);
      }
    }
    return sorted(addresses, nameOffsets, count, names.toByteArray());
  }

  /** The kernel's own symbols come sorted, those of its modules after them are not. */
  private static KernelSymbols sorted(
      long[] addresses, int[] nameOffsets, int count, byte[] names) {
    int[] order =
        IntStream.range(0, count)
            .boxed()
            .sorted(
                Comparator.comparing((Integer i) -> addresses[i], Long::compareUnsigned)
                    .thenComparing(i -> i))
            .mapToInt(Integer::intValue)
            .toArray();
    return new KernelSymbols(
        Arrays.stream(order).mapToLong(i -> addresses[i] ^ Long.MIN_VALUE).toArray(),
        Arrays.stream(order).map(i -> nameOffsets[i]).toArray(),
        names);
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
