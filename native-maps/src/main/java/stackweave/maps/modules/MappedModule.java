package stackweave.maps.modules;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.ElfImage;
import stackweave.maps.elf.IndirectFunctions;
import stackweave.maps.elf.LinkageStub;
import stackweave.maps.elf.UnknownCode;
import stackweave.maps.proc.Mapping;
import stackweave.maps.symbols.SymbolTable;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.walk.CodeModule;

/**
 * One mapped ELF image: a file, or the vDSO, at one place of the address space. Made by {@link
 * ModuleIndex}. Symbols and unwind information are opened at first use, by the unwinding thread;
 * not thread-safe.
 */
public final class MappedModule implements CodeModule {
  private static final int PAGE = 4096;

  /** The most names that are shown of one function. */
  private static final int MAX_NAMES = 3;

  private final int id;
  private final String path;
  private final String name;
  private final ModuleImage image;
  private final long bias;
  private final long start;
  private final long end;

  /** Names of functions that the loader has chosen, by virtual address; null until asked for. */
  private Map<Long, String> chosen;

  /**
   * @param code the mapping by which the module was found
   */
  public MappedModule(int id, Mapping code, ModuleImage image) {
    this.id = id;
    this.path = code.path();
    this.name = path.substring(path.lastIndexOf('/') + 1);
    this.image = image;
    this.bias = bias(image, code);
    ElfImage elf = image.elf();
    this.start = elf == null ? code.start() : bias + (elf.lowestAddress() & -PAGE);
    this.end = elf == null ? code.end() : bias + ((elf.highestAddress() + PAGE - 1) & -PAGE);
  }

  /**
   * The image's bias; without program headers, virtual addresses are assumed to equal file offsets.
   */
  static long bias(ModuleImage image, Mapping code) {
    if (image.elf() != null) {
      try {
        return image.elf().bias(code.start(), code.offset());
      } catch (ElfFormatException e) {
        image.elf().problem("program headers", e);
      }
    }
    return code.start() - code.offset();
  }

  /** A number from 1 on, unique in this process. */
  public int id() {
    return id;
  }

  /**
   * The path as the kernel shows it, without its mark of a deleted file; {@code [vdso]} for the
   * vDSO.
   */
  public String path() {
    return path;
  }

  /** The file's name without directories. */
  public String name() {
    return name;
  }

  /** The build id in lower-case hexadecimal, or null if there is none. */
  public String buildId() {
    return image.buildId();
  }

  /** The image's first runtime address, that of its lowest segment. */
  public long start() {
    return start;
  }

  /** The first runtime address above the image. */
  public long end() {
    return end;
  }

  @Override
  public long bias() {
    return bias;
  }

  @Override
  public UnwindTable unwindTable() {
    return image.unwindTable();
  }

  /** The module's function symbols, by virtual address, which is pc − {@link #bias}. */
  public SymbolTable symbols() {
    return image.symbols();
  }

  /**
   * The symbol tables that {@link #symbols} were read from, as text for users; {@code none} for
   * none.
   */
  public String symbolSource() {
    return image.symbolSource();
  }

  /** Where the image was read from. */
  public ImageOrigin origin() {
    return image.origin();
  }

  /** Why it was read from there, and what was found malformed so far; empty if nothing. */
  public String why() {
    return image.why();
  }

  /**
   * The name of a function without a symbol that the loader has chosen by the processor, as libc
   * has them: memcpy, or memcpy/memmove where one function is both.
   *
   * @param function its first virtual address
   * @param memory where the loader's choice is read, once
   * @return null if it was not chosen, or that can't be read
   */
  public String chosenName(long function, MemoryReader memory) {
    if (chosen == null) {
      chosen = new HashMap<>();
      for (IndirectFunctions.Slot slot : image.indirectFunctions()) {
        try {
          long target = memory.readLong(bias + slot.address()) - bias;
          chosen.merge(target, slot.name(), MappedModule::both);
        } catch (UnreadableMemoryException e) {
          continue; // a name less
        }
      }
    }
    return chosen.get(function);
  }

  /**
   * The stub of a procedure linkage table at a runtime address without a symbol. Reads the file.
   *
   * @return its start is a virtual address; null if there is none that can be named
   */
  public LinkageStub linkageStubAt(long pc) {
    return image.linkageStubAt(pc - bias);
  }

  private static String both(String names, String name) {
    Set<String> all = new TreeSet<>(List.of(names.split("/")));
    all.add(name);
    return all.size() <= MAX_NAMES ? String.join("/", all) : names;
  }

  /**
   * The symbol that covers a runtime address. A symbol without size reaches to the next one, but
   * not beyond the start of another function in the unwind information.
   *
   * @param pc a runtime address; for a return address the caller passes it minus one
   * @return an index in {@link #symbols}, or {@link SymbolTable#NONE}
   */
  public int symbolAt(long pc) {
    long address = pc - bias;
    int symbol = symbols().find(address);
    if (symbol != SymbolTable.NONE && !symbols().isSized(symbol)) {
      long function = unwindTable().functionStart(address);
      if (function != UnwindTable.NO_ADDRESS
          && Long.compareUnsigned(function, symbols().start(symbol)) > 0) {
        return SymbolTable.NONE;
      }
    }
    return symbol;
  }

  @Override
  public long functionStart(long pc) {
    int symbol = symbolAt(pc);
    return symbol == SymbolTable.NONE ? 0 : bias + symbols().start(symbol);
  }

  /**
   * The code around a runtime address without symbol and unwind information, as hand-written
   * assembly in a stripped library. It may be several functions.
   *
   * @param pc of this module, covered by no symbol and no function of the unwind table
   * @return the range between the neighbouring functions, within its section; null if nothing is
   *     known of the image
   */
  public UnknownCode unknownCodeAt(long pc) {
    ElfImage elf = image.elf();
    if (elf == null) {
      return null;
    }
    long address = pc - bias;
    UnknownCode part = elf.codeAround(address);
    if (part == null) {
      return null;
    }
    SymbolTable symbols = symbols();
    UnwindTable table = unwindTable();
    return part.around(address, symbols.endBelow(address), symbols.startAbove(address))
        .around(address, table.functionEndBelow(address), table.functionStartAbove(address));
  }

  /** The runtime address of an exported symbol, function or data, by its raw name; 0 if none. */
  public long addressOf(String symbol) {
    long address = image.exported(symbol);
    return address == 0 ? 0 : address + bias;
  }

  /** As {@link #addressOf}, of any symbol that the file has. Reads a whole table: once. */
  public long addressOfAny(String symbol) {
    long address = image.anySymbol(symbol);
    return address == 0 ? 0 : address + bias;
  }

  /**
   * Whether threads start in this module: the C library, or the thread library of glibc before
   * 2.34. Its function with undefined return address is a thread's first, even without a symbol.
   */
  public boolean isLibc() {
    return name.startsWith("libc.so")
        || name.startsWith("libc-2.")
        || name.startsWith("libpthread")
        || name.startsWith("libc.musl-")
        || name.startsWith("ld-musl-");
  }

  /** Whether all that unwinding and naming need was read, so that the file may go. */
  public boolean isRead() {
    return image.isRead();
  }

  /** Reads that, unless the image is very large: see {@link #isRead}. */
  public void readNow() {
    image.readNow();
  }

  ModuleImage image() {
    return image;
  }

  @Override
  public String toString() {
    return name + " #" + id + " at 0x" + Long.toHexString(start);
  }
}
