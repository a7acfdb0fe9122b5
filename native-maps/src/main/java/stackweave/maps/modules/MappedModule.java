package stackweave.maps.modules;

import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.ElfImage;
import stackweave.maps.elf.UnknownCode;
import stackweave.maps.proc.Mapping;
import stackweave.maps.symbols.SymbolTable;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.walk.CodeModule;

/**
 * One mapped ELF image: a file, or the vdso, at one place of the address space.
 *
 * <p>What it costs to open is paid at first use, by the thread that unwinds; not thread-safe.
 */
public final class MappedModule implements CodeModule {
  private static final int PAGE = 4096;

  private final int id;
  private final String path;
  private final String name;
  private final ModuleImage image;
  private final long bias;
  private final long start;
  private final long end;

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

  /** Without program headers the usual layout is assumed: virtual address = file offset. */
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

  /** A number that no other module of this process ever has, from 1 on. */
  public int id() {
    return id;
  }

  /** The path as the kernel shows it, without a mark of deletion; {@code [vdso]} for the vdso. */
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

  /** The module's function symbols; by virtual address, that is pc − {@link #bias}. */
  public SymbolTable symbols() {
    return image.symbols();
  }

  /** Which symbol tables {@link #symbols} were read from, for people; {@code none} for none. */
  public String symbolSource() {
    return image.symbolSource();
  }

  /** Where the image was read. */
  public ImageOrigin origin() {
    return image.origin();
  }

  /**
   * Why it was read there and what of it was found broken so far; "" if there is nothing to tell.
   */
  public String why() {
    return image.why();
  }

  /**
   * The symbol that covers a runtime address. One whose size the file does not say, and which would
   * reach to the next symbol, ends where the unwind information has another function begin.
   *
   * @param pc for a return address the caller passes the address minus one
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
   * The code around a runtime address that belongs to no function that is known: no symbol covers
   * it, and the unwind information does not describe it. Hand-written assembly is like that in a
   * stripped library. It may be several functions.
   *
   * @param pc of this module; no symbol covers it, and no function of the unwind table
   * @return between the functions before and behind it, within its section; null where nothing is
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

  /**
   * Whether this is where threads begin: the C library, or the thread library that it had until
   * glibc 2.34. Its function with undefined return address is the thread's first one, even where a
   * stripped library has no symbol for it.
   */
  public boolean isLibc() {
    return name.startsWith("libc.so")
        || name.startsWith("libc-2.")
        || name.startsWith("libpthread")
        || name.startsWith("libc.musl-")
        || name.startsWith("ld-musl-");
  }

  ModuleImage image() {
    return image;
  }

  @Override
  public String toString() {
    return name + " #" + id + " at 0x" + Long.toHexString(start);
  }
}
