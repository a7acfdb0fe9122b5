package stackweave.maps;

import stackweave.unwind.CodeModule;
import stackweave.unwind.UnwindTable;

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
  MappedModule(int id, Mapping code, ModuleImage image) {
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
   * The symbol that covers a runtime address.
   *
   * @param pc for a return address the caller passes the address minus one
   * @return an index in {@link #symbols}, or {@link SymbolTable#NONE}
   */
  public int symbolAt(long pc) {
    return symbols().find(pc - bias);
  }

  @Override
  public long functionStart(long pc) {
    int symbol = symbolAt(pc);
    return symbol == SymbolTable.NONE ? 0 : bias + symbols().start(symbol);
  }

  /** The name of the function at a runtime address, or {@code module+0xoffset} if it has none. */
  public String describe(long pc) {
    int symbol = symbolAt(pc);
    return symbol == SymbolTable.NONE ? offsetName(pc) : symbols().name(symbol);
  }

  /** A runtime address as {@code module+0xoffset}, the offset being the virtual address. */
  public String offsetName(long pc) {
    return name + "+0x" + Long.toHexString(pc - bias);
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
