package stackweave.maps.kernel;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import stackweave.unwind.TableMemory;

/**
 * Names of kernel code, from /proc/kallsyms: one {@code address type name [module]} a line, sorted
 * here by address. Immutable once read; 12 bytes a symbol plus the names, some MiB in all, in a
 * {@link TableMemory}.
 *
 * <p>The file says where a symbol begins, and not where it ends. So an address has the name of the
 * symbol below it only where nothing else can lie between them:
 *
 * <ul>
 *   <li>in the kernel's own code, from {@code _stext} to {@code _etext}. Code that runs only at
 *       boot is freed and never runs again (kernel/extable.c, core_kernel_text), so it names
 *       nothing;
 *   <li>between two symbols of one live module, and from its last one to the end of that page: a
 *       module's code has whole pages of its own (kernel/module/main.c);
 *   <li>in a BPF program whose length is known: programs share pages with others, and those made of
 *       classic filters, such as seccomp's, have no symbol (kernel/bpf/core.c,
 *       bpf_prog_kallsyms_candidate).
 * </ul>
 *
 * <p>Everywhere else (trampolines of ftrace, kprobes and BPF, classic filters, modules that were
 * loaded later) there is no name.
 *
 * <p>Where the kernel hides addresses (kernel.kptr_restrict, no CAP_SYSLOG) every line says 0: then
 * there are no symbols, and a kernel frame has no name but {@code [kernel]}.
 */
public final class KernelSymbols {
  /** No symbol covers the address. */
  public static final int NONE = -1;

  /** No symbols. */
  public static final KernelSymbols EMPTY =
      new KernelSymbols(
          LongBuffer.allocate(0), IntBuffer.allocate(0), ByteBuffer.allocate(0), 0, 0, 0);

  /** Longer than any line. */
  private static final int BUFFER = 1 << 16;

  private final LongBuffer addresses;

  /** {@link KernelSymbolsBuilder#GAP}: what begins here has no name. */
  private final IntBuffer nameOffsets;

  private final ByteBuffer names;
  private final int size;
  private final long textStart;
  private final long textEnd;

  /**
   * @param addresses where symbols and gaps begin, ascending, with the highest bit turned
   * @param nameOffsets where their names are
   * @param size how many of them are symbols
   * @param textStart of the kernel's own code
   * @param textEnd of the kernel's own code, the first address behind it
   */
  KernelSymbols(
      LongBuffer addresses,
      IntBuffer nameOffsets,
      ByteBuffer names,
      int size,
      long textStart,
      long textEnd) {
    this.addresses = addresses;
    this.nameOffsets = nameOffsets;
    this.names = names;
    this.size = size;
    this.textStart = textStart;
    this.textEnd = textEnd;
  }

  /** Reads the kernel's own symbols alone, without those of modules and of BPF programs. */
  public static KernelSymbols read(Path kallsyms) {
    return read(kallsyms, new KernelModules(Map.of()), new long[0], TableMemory.HEAP);
  }

  /**
   * Reads a file of the format of /proc/kallsyms; without access, or without addresses, empty.
   *
   * @param modules those that are loaded
   * @param programs address and length in bytes of each function of a BPF program, as far as they
   *     are known, one after the other
   * @param memory where the symbols lie, and what is collected meanwhile
   */
  public static KernelSymbols read(
      Path kallsyms, KernelModules modules, long[] programs, TableMemory memory) {
    try (InputStream in = new FileInputStream(kallsyms.toFile());
        KernelSymbolsBuilder symbols = new KernelSymbolsBuilder(modules, programs, memory)) {
      byte[] text = new byte[BUFFER];
      int length = 0;
      for (int read = in.read(text); read > 0; read = in.read(text, length, BUFFER - length)) {
        length += read;
        int taken = symbols.lines(text, length);
        if (taken > 0 && !symbols.shown()) {
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

  /** The symbol that covers {@code address}, or {@link #NONE}. */
  public int find(long address) {
    int i = lastUpTo(address ^ Long.MIN_VALUE);
    if (i < 0 || nameOffsets.get(i) == KernelSymbolsBuilder.GAP) {
      return NONE;
    }
    while (i > 0 && addresses.get(i - 1) == addresses.get(i)) {
      i--;
    }
    return i;
  }

  /** The last place whose address, turned, is not above this one; −1 if there is none. */
  private int lastUpTo(long turned) {
    int low = 0;
    int high = addresses.limit() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (addresses.get(middle) <= turned) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  /**
   * Whether the address is in the kernel's own code, whose names are the same as long as it runs.
   */
  public boolean isOwnText(long address) {
    return Long.compareUnsigned(address, textStart) >= 0
        && Long.compareUnsigned(address, textEnd) < 0;
  }

  /** Where symbol {@code i} starts. */
  public long start(int i) {
    return addresses.get(i) ^ Long.MIN_VALUE;
  }

  /** What symbol {@code i} is called. */
  public String name(int i) {
    int begin = nameOffsets.get(i);
    int end = begin;
    while (names.get(end) != 0) {
      end++;
    }
    byte[] name = new byte[end - begin];
    names.get(begin, name);
    return new String(name, StandardCharsets.UTF_8);
  }

  /** How many symbols there are; 0 where the kernel hides them. */
  public int size() {
    return size;
  }
}
