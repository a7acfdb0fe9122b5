package stackweave.maps.kernel;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Map;
import stackweave.unwind.TableMemory;

/**
 * Names of kernel code, from /proc/kallsyms: one {@code address type name [module]} a line. Some
 * MiB in a {@link TableMemory}. The kernel's own code comes first and alone ({@link KernelText});
 * the symbols of modules and of BPF programs are read when an address outside of it is met: the
 * kernel takes some 30 ms to make the text. Where it hides addresses (kernel.kptr_restrict, no
 * CAP_SYSLOG) every line says 0, and there are no symbols. The package's comment says which
 * addresses have a name. Belongs to one thread.
 */
public final class KernelSymbols {
  /** No symbol covers the address. */
  public static final int NONE = -1;

  /** No symbols. */
  public static final KernelSymbols EMPTY =
      new KernelSymbols(Path.of(""), TableMemory.HEAP, null, 0);

  /** Longer than any line. */
  private static final int BUFFER = 1 << 13;

  private final Path kallsyms;
  private final TableMemory memory;

  /** The kernel's own code; null without access. */
  private final KernelTable own;

  /** How many bytes of the file have nothing but that. */
  private final long ownBytes;

  /** What is not the kernel's own code; null before it was read. */
  private KernelSymbolTable others;

  private KernelSymbols(Path kallsyms, TableMemory memory, KernelTable own, long ownBytes) {
    this.kallsyms = kallsyms;
    this.memory = memory;
    this.own = own;
    this.ownBytes = ownBytes;
  }

  /**
   * Reads the kernel's own symbols from a file of the format of /proc/kallsyms; without access, or
   * without addresses, empty.
   *
   * @param memory where the symbols lie, and what is collected meanwhile
   */
  public static KernelSymbols read(Path kallsyms, TableMemory memory) {
    KernelText text;
    try {
      text = KernelText.read(kallsyms, memory);
    } catch (IOException e) {
      return EMPTY;
    }
    if (text.isComplete()) {
      return new KernelSymbols(kallsyms, memory, text, text.bytesBefore());
    }
    try {
      // Hidden in some lines, hidden in all: 5 MB not read. The first line alone says nothing, for
      // up to Linux 6.14 x86-64 has a symbol at 0.
      return text.isShown() ? new KernelSymbols(kallsyms, memory, tableOf(text, memory), 0) : EMPTY;
    } finally {
      text.release();
    }
  }

  private static KernelSymbolTable tableOf(KernelText text, TableMemory memory) {
    try (KernelSymbolsBuilder builder =
        new KernelSymbolsBuilder(new KernelModules(Map.of()), new long[0], memory)) {
      text.giveTo(builder);
      return builder.build();
    }
  }

  /**
   * Reads the symbols of modules and BPF programs as they are now, in place of those read before,
   * whose numbers mean something else then.
   *
   * @param modules those that are loaded
   * @param programs address and length in bytes of each function of a BPF program, as far as they
   *     are known, one after the other
   */
  public void readOthers(KernelModules modules, long[] programs) {
    others = null;
    if (isEmpty()) {
      return;
    }
    try (RandomAccessFile in = new RandomAccessFile(kallsyms.toFile(), "r");
        KernelSymbolsBuilder builder = new KernelSymbolsBuilder(modules, programs, memory)) {
      builder.leaveOutTheKernel();
      in.seek(ownBytes);
      byte[] lines = new byte[BUFFER];
      int length = 0;
      for (int read = in.read(lines); read > 0; read = in.read(lines, length, BUFFER - length)) {
        length += read;
        int taken = builder.lines(lines, length);
        System.arraycopy(lines, taken, lines, 0, length - taken);
        // A line that is longer than the buffer is no line of this format.
        length = taken == 0 && length == BUFFER ? 0 : length - taken;
      }
      builder.line(lines, 0, length);
      others = builder.build();
    } catch (IOException e) {
      others = null; // no names then, as without access
    }
  }

  /** Whether there are no symbols, as where the kernel hides them. */
  public boolean isEmpty() {
    return own == null;
  }

  /** The symbol that covers {@code address}, or {@link #NONE}. */
  public int find(long address) {
    if (isOwnText(address)) {
      return own.find(address);
    }
    int other = others == null ? NONE : others.find(address);
    return other == NONE ? NONE : own.limit() + other;
  }

  /** Whether the address is in the kernel's own code, whose names never change while it runs. */
  public boolean isOwnText(long address) {
    return own != null
        && Long.compareUnsigned(address, own.textStart()) >= 0
        && Long.compareUnsigned(address, own.textEnd()) < 0;
  }

  /** The address of symbol {@code i}. */
  public long start(int i) {
    int limit = own.limit();
    return i >= limit ? others.start(i - limit) : own.start(i);
  }

  /** The name of symbol {@code i}. */
  public String name(int i) {
    int limit = own.limit();
    return i >= limit ? others.name(i - limit) : own.name(i);
  }

  /** How many symbols there are; reads all of them. */
  public int size() {
    return (own == null ? 0 : own.size()) + (others == null ? 0 : others.size());
  }
}
