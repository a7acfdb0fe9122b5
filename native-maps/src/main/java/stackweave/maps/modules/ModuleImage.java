package stackweave.maps.modules;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import stackweave.maps.elf.Compression;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.ElfImage;
import stackweave.maps.elf.ElfImage.Symbols;
import stackweave.maps.elf.FileElfImage;
import stackweave.maps.elf.ImageBytes;
import stackweave.maps.elf.IndirectFunctions;
import stackweave.maps.elf.LinkageStub;
import stackweave.maps.elf.MemoryElfImage;
import stackweave.maps.symbols.SymbolTable;
import stackweave.maps.symbols.SymbolTableBuilder;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.table.UnwindSections;
import stackweave.unwind.table.UnwindTables;

/**
 * The contents of a module, shared by all places where the same image is mapped: symbols and unwind
 * information, each opened at first use. Made by {@link ImageOpener}; not thread-safe.
 */
public final class ModuleImage {
  /** Larger images are not read in advance, in bytes. */
  private static final long MAX_READ_AHEAD = 64L << 20;

  private final DebugFiles debugFiles;
  private final RuleTable rules;
  private final String path;
  private final Memory memory;
  private final Supplier<FileElfImage> kept;

  private ElfImage elf;
  private ImageOrigin origin;
  private String why;
  private Symbols exports;
  private SymbolTable symbols;
  private String symbolSource = "";
  private UnwindTable unwindTable;
  private List<IndirectFunctions.Slot> indirect;

  /** Reads the image from memory, if that is still needed. */
  @FunctionalInterface
  interface Memory {
    MemoryElfImage open() throws ElfFormatException;
  }

  /**
   * @param elf the image, or null with {@link ImageOrigin#NONE}
   * @param why why it was read from there; empty if there is nothing to explain
   * @param path where it was loaded from
   * @param memory replaces a file that vanishes before it was read; may be null
   */
  public ModuleImage(
      ElfImage elf,
      ImageOrigin origin,
      String why,
      DebugFiles debugFiles,
      RuleTable rules,
      String path,
      Memory memory) {
    this(elf, origin, why, debugFiles, rules, path, memory, () -> null);
  }

  /**
   * @param kept the same file where somebody holds it open, which is preferred to memory; its
   *     result may be null
   */
  ModuleImage(
      ElfImage elf,
      ImageOrigin origin,
      String why,
      DebugFiles debugFiles,
      RuleTable rules,
      String path,
      Memory memory,
      Supplier<FileElfImage> kept) {
    this.kept = kept;
    this.elf = elf;
    this.origin = origin;
    this.why = why;
    this.debugFiles = debugFiles;
    this.rules = rules;
    this.path = path;
    this.memory = memory;
  }

  /** The image, or null if there is none that could be read. */
  ElfImage elf() {
    return elf;
  }

  ImageOrigin origin() {
    return origin;
  }

  /** Why it has this origin, and what was found malformed. */
  public String why() {
    List<String> parts = new ArrayList<>();
    if (!why.isEmpty()) {
      parts.add(why);
    }
    if (elf != null) {
      parts.addAll(elf.problems());
    }
    return String.join("; ", parts);
  }

  String buildId() {
    return elf == null ? null : elf.buildId();
  }

  /** Reads everything that may be needed from a file that may not stay, unless it is very large. */
  public void readNow() {
    if (elf != null && elf.highestAddress() - elf.lowestAddress() <= MAX_READ_AHEAD) {
      symbols();
      unwindTable();
      exports();
    }
  }

  /** Whether all that unwinding and naming need was read, so that the file may go. */
  boolean isRead() {
    return elf == null || symbols != null && unwindTable != null;
  }

  /** Whether everything not read yet can still be read from its origin. */
  boolean isReadable() {
    return !(elf instanceof FileElfImage file)
        || (symbols != null && unwindTable != null)
        || file.isReadable();
  }

  /** The function symbols, read at the first call; empty if there are none. */
  public SymbolTable symbols() {
    if (symbols == null) {
      symbols = SymbolTable.EMPTY;
      symbolSource = "none";
      replaceVanished();
      if (elf != null) {
        loadSymbols();
      }
    }
    return symbols;
  }

  /** The rules for this image's code, by virtual address. */
  public UnwindTable unwindTable() {
    if (unwindTable == null) {
      replaceVanished();
      boolean usable = elf != null && elf.architecture() == rules.architecture();
      unwindTable =
          UnwindTables.open(
              usable ? elf.unwindSections() : UnwindSections.none(rules.architecture()), rules);
    }
    return unwindTable;
  }

  /** The names of the tables that the symbols were read from. */
  public String symbolSource() {
    symbols();
    return symbolSource;
  }

  /** Switches to memory if the file vanished or changed since it was opened. */
  private void replaceVanished() {
    if (!(elf instanceof FileElfImage file) || file.isReadable()) {
      return;
    }
    FileElfImage held = kept.get();
    if (held != null && isSame(file, held)) {
      why = "file deleted; read while it was held open";
      elf = held;
      origin = ImageOrigin.MAPPED_FILE;
      return;
    }
    if (memory != null) {
      why = "file vanished or changed after it was opened";
      try {
        MemoryElfImage inMemory = memory.open();
        if (isSame(file, inMemory)) {
          elf = inMemory;
          origin = ImageOrigin.MEMORY;
        }
      } catch (ElfFormatException e) {
        why += "; memory: " + e.getMessage();
      }
    }
  }

  /** Whether both are the same image, by build id or, without one, by program headers. */
  private static boolean isSame(ElfImage file, ElfImage inMemory) {
    return file.buildId() == null && inMemory.buildId() == null
        ? file.headers.segments().equals(inMemory.headers.segments())
        : file.buildId() != null && file.buildId().equals(inMemory.buildId());
  }

  private void loadSymbols() {
    List<Symbols> tables = new ArrayList<>();
    List<String> sources = new ArrayList<>();
    try {
      addFullTable(tables, sources);
      Symbols dynsym = elf.dynsym();
      if (dynsym != null) {
        tables.add(dynsym);
        sources.add(".dynsym");
      }
      symbols = SymbolTableBuilder.build(tables, rules.memory());
      symbolSource = sources.isEmpty() ? "none" : String.join(" and ", sources);
    } catch (ElfFormatException e) {
      elf.problem("symbols", e);
    } finally {
      if (elf instanceof FileElfImage file) {
        // Copies of the file. Each symbol wanted is in the table, which reads its name there.
        for (Symbols table : tables) {
          file.release(table.table());
          if (symbols.isEmpty()) {
            file.release(table.names());
          }
        }
      }
    }
  }

  /** Adds .symtab of the image itself, of its debug file, or the reduced one in .gnu_debugdata. */
  private void addFullTable(List<Symbols> tables, List<String> sources) {
    Symbols own = elf.symtab();
    if (own != null) {
      tables.add(own);
      sources.add(".symtab");
      return;
    }
    if (!(elf instanceof FileElfImage file)) {
      return;
    }
    DebugFiles.Found debug = debugFiles.find(file, path);
    Symbols separate = debug == null ? null : debug.image().symtab();
    if (separate != null) {
      tables.add(separate);
      sources.add(".symtab of " + debug.path());
      return;
    }
    ByteBuffer packed = file.miniDebugInfo();
    if (packed != null) {
      try {
        ByteBuffer unpacked = Compression.unpackXz(packed, rules.memory());
        Symbols mini =
            FileElfImage.open(new ImageBytes.OfBuffer(unpacked), rules.memory()).symtab();
        if (mini != null) {
          // The names alone, for they stay and the rest does not.
          ByteBuffer names = rules.memory().allocate(mini.names().limit());
          names.put(0, mini.names(), 0, names.limit());
          tables.add(new Symbols(mini.table(), names, mini.sections(), false));
          sources.add(".gnu_debugdata");
        }
      } catch (ElfFormatException e) {
        elf.problem(".gnu_debugdata", e);
      }
    }
  }

  /** The functions that the loader has chosen, if the image is a file that can be read. */
  List<IndirectFunctions.Slot> indirectFunctions() {
    if (indirect == null) {
      indirect =
          elf instanceof FileElfImage file && file.isReadable()
              ? file.indirectFunctions()
              : List.of();
    }
    return indirect;
  }

  /** The stub of a linkage table at a virtual address; null if there is none that can be named. */
  LinkageStub linkageStubAt(long address) {
    return elf instanceof FileElfImage file && file.isReadable()
        ? file.linkageStubAt(address, this::indirectFunctions)
        : null;
  }

  /** The virtual address of an exported symbol of any type, or 0. */
  public long exported(String name) {
    Symbols table = exports();
    return table == null ? 0 : table.addressOf(name);
  }

  /** As {@link #exported}, or of .symtab, which is read as a whole. */
  public long anySymbol(String name) {
    long address = exported(name);
    return address == 0 && elf instanceof FileElfImage file && file.isReadable()
        ? file.addressOf(name)
        : address;
  }

  private Symbols exports() {
    if (exports == null) {
      replaceVanished();
      exports = elf == null ? null : elf.dynsym();
    }
    return exports;
  }
}
