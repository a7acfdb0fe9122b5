package stackweave.maps.modules;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import stackweave.maps.elf.Compression;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.ElfImage;
import stackweave.maps.elf.ElfImage.Symbols;
import stackweave.maps.elf.FileElfImage;
import stackweave.maps.elf.ImageBytes;
import stackweave.maps.elf.MemoryElfImage;
import stackweave.maps.symbols.ExportedSymbols;
import stackweave.maps.symbols.SymbolTable;
import stackweave.maps.symbols.SymbolTableBuilder;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.table.UnwindSections;
import stackweave.unwind.table.UnwindTables;

/**
 * The content of a module, shared by all places where the same image is mapped: symbols and unwind
 * information, each opened at first use.
 */
public final class ModuleImage {
  /** What takes more than this in memory is not read before it is needed, in bytes. */
  private static final long MAX_READ_AHEAD = 64L << 20;

  private final DebugFiles debugFiles;
  private final RuleTable rules;
  private final String path;
  private final Memory memory;

  private ElfImage elf;
  private ImageOrigin origin;
  private String why;
  private Symbols exports;
  private SymbolTable symbols;
  private String symbolSource = "";
  private UnwindTable unwindTable;

  /** Reads the image from memory, where that is still to be done. */
  @FunctionalInterface
  interface Memory {
    MemoryElfImage open() throws ElfFormatException;
  }

  /**
   * @param elf the image, or null with {@link ImageOrigin#NONE}
   * @param why why it was read there and nowhere better; "" where there is nothing to explain
   * @param path where it was loaded from
   * @param memory in place of a file that vanishes before it was read; may be null
   */
  public ModuleImage(
      ElfImage elf,
      ImageOrigin origin,
      String why,
      DebugFiles debugFiles,
      RuleTable rules,
      String path,
      Memory memory) {
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

  /** Why it is this origin, and what was found broken. */
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

  /** Reads all that may be needed, from a file that may not stay; unless it is very large. */
  public void readNow() {
    if (elf != null && elf.highestAddress() - elf.lowestAddress() <= MAX_READ_AHEAD) {
      symbols();
      unwindTable();
      exports();
    }
  }

  /** Whether all that was not read yet can still be read from where it was found. */
  boolean isReadable() {
    return !(elf instanceof FileElfImage file)
        || (symbols != null && unwindTable != null)
        || file.isReadable();
  }

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

  /** Which tables the symbols were read from. */
  public String symbolSource() {
    symbols();
    return symbolSource;
  }

  /** The file was there when the module was found, but not any more: memory has to do. */
  private void replaceVanished() {
    if (elf instanceof FileElfImage file && !file.isReadable() && memory != null) {
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

  /** By the build id; of images without one, by the program headers: what is mapped where. */
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
        tables.forEach(file::release); // copies of the file, and each symbol wanted is in the table
      }
    }
  }

  /** .symtab of the image itself, of its debug file, or the thinned one in .gnu_debugdata. */
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
          tables.add(new Symbols(mini.table(), mini.names(), mini.sections(), false));
          sources.add(".gnu_debugdata");
        }
      } catch (ElfFormatException e) {
        elf.problem(".gnu_debugdata", e);
      }
    }
  }

  /** The virtual address of an exported symbol of any type, or 0. */
  public long exported(String name) {
    Symbols table = exports();
    return table == null ? 0 : ExportedSymbols.find(table, name);
  }

  private Symbols exports() {
    if (exports == null) {
      replaceVanished();
      exports = elf == null ? null : elf.dynsym();
    }
    return exports;
  }
}
