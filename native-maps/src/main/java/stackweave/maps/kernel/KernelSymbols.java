package stackweave.maps.kernel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import stackweave.unwind.TableMemory;

/**
 * Names of kernel code, from /proc/kallsyms: one {@code address type name [module]} a line. Some
 * MiB in a {@link TableMemory}. The kernel's own code comes first and alone; the symbols of modules
 * are read when an address outside of it is met: the kernel takes some 30 ms to make the text.
 * Where it hides addresses (kernel.kptr_restrict, no CAP_SYSLOG) every line says 0, and there are
 * no symbols. The package's comment says which addresses have a name. Belongs to one thread.
 */
public final class KernelSymbols {
  /** No symbol covers the address. */
  public static final int NONE = -1;

  private static final KernelSymbolTable NOTHING =
      new KernelSymbolTable(ByteBuffer.allocate(0), ByteBuffer.allocate(0));

  /** No symbols. */
  public static final KernelSymbols EMPTY =
      new KernelSymbols(Path.of(""), TableMemory.HEAP, NOTHING);

  private final Path kallsyms;
  private final TableMemory memory;

  /** The kernel's own code; empty without access. */
  private final KernelSymbolTable own;

  /** What is not the kernel's own code; empty before it was read. */
  private KernelSymbolTable others = NOTHING;

  private KernelSymbols(Path kallsyms, TableMemory memory, KernelSymbolTable own) {
    this.kallsyms = kallsyms;
    this.memory = memory;
    this.own = own;
  }

  /**
   * Reads the kernel's own symbols from a file of the format of /proc/kallsyms; without access, or
   * without addresses, empty.
   *
   * @param memory where the symbols lie, and what is collected meanwhile
   */
  public static KernelSymbols read(Path kallsyms, TableMemory memory) {
    try {
      return new KernelSymbols(kallsyms, memory, KernelSymbolsReader.own(kallsyms, memory));
    } catch (IOException e) {
      return EMPTY;
    }
  }

  /**
   * Reads the symbols of modules as they are now, in place of those read before, whose numbers mean
   * something else then.
   *
   * @param modules those that are loaded
   */
  public void readOthers(KernelModules modules) {
    others = NOTHING;
    if (isEmpty()) {
      return;
    }
    try {
      others = KernelSymbolsReader.others(kallsyms, modules, memory);
    } catch (IOException e) {
      others = NOTHING; // no names then, as without access
    }
  }

  /** Whether there are no symbols, as where the kernel hides them. */
  public boolean isEmpty() {
    return own.size() == 0;
  }

  /** The symbol that covers {@code address}, or {@link #NONE}. */
  public int find(long address) {
    if (isOwnText(address)) {
      return own.find(address);
    }
    int other = others.find(address);
    return other == NONE ? NONE : own.size() + other;
  }

  /** Whether the address is in the kernel's own code, whose names never change while it runs. */
  public boolean isOwnText(long address) {
    return own.spans(address);
  }

  /** The address of symbol {@code i}. */
  public long start(int i) {
    int size = own.size();
    return i >= size ? others.start(i - size) : own.start(i);
  }

  /** The name of symbol {@code i}. */
  public String name(int i) {
    int size = own.size();
    return i >= size ? others.name(i - size) : own.name(i);
  }

  /** How many symbols there are. */
  public int size() {
    return own.size() + others.size();
  }
}
