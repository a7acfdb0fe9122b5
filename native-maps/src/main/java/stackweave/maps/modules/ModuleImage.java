package stackweave.maps.modules;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import stackweave.maps.elf.Compression;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.ElfImage;
import stackweave.maps.elf.ElfImage.Symbols;
import stackweave.maps.elf.FileElfImage;
import stackweave.maps.elf.ImageBytes;
import stackweave.maps.elf.IndirectFunctions;
import stackweave.maps.elf.LinkageStub;
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
  private final UnaryOperator<OpenedImage> again;

  private OpenedImage opened;
  private Symbols exports;
  private SymbolTable symbols;
  private String symbolSource = "";
  private UnwindTable unwindTable;
  private List<IndirectFunctions.Slot> indirect;

  /**
   * @param path where it was loaded from
   * @param again opens the image in another way, where its file vanishes before it was read
   */
  public ModuleImage(
      OpenedImage opened,
      DebugFiles debugFiles,
      RuleTable rules,
      String path,
      UnaryOperator<OpenedImage> again) {
    this.opened = opened;
    this.debugFiles = debugFiles;
    this.rules = rules;
    this.path = path;
    this.again = again;
  }

  /** The image, or null if there is none that could be read. */
  ElfImage elf() {
    return opened.elf();
  }

  ImageOrigin origin() {
    return opened.origin();
  }

  /** Why it has this origin, and what was found malformed. */
  public String why() {
    List<String> parts = new ArrayList<>();
    if (!opened.why().isEmpty()) {
      parts.add(opened.why());
    }
    if (elf() != null) {
      parts.addAll(elf().problems());
    }
    return String.join("; ", parts);
  }

  String buildId() {
    return elf() == null ? null : elf().buildId();
  }

  /** Reads everything that may be needed from a file that may not stay, unless it is very large. */
  public void readNow() {
    if (elf() != null && elf().highestAddress() - elf().lowestAddress() <= MAX_READ_AHEAD) {
      symbols();
      unwindTable();
      exports();
    }
  }

  /** Whether all that unwinding and naming need was read, so that the file may go. */
  boolean isRead() {
    return elf() == null || symbols != null && unwindTable != null;
  }

  /** Whether everything not read yet can still be read from its origin. */
  boolean isReadable() {
    return !(elf() instanceof FileElfImage file)
        || (symbols != null && unwindTable != null)
        || file.isReadable();
  }

  /** The function symbols, read at the first call; empty if there are none. */
  public SymbolTable symbols() {
    if (symbols == null) {
      symbols = SymbolTable.EMPTY;
      symbolSource = "none";
      replaceVanished();
      if (elf() != null) {
        loadSymbols();
      }
    }
    return symbols;
  }

  /** The rules for this image's code, by virtual address. */
  public UnwindTable unwindTable() {
    if (unwindTable == null) {
      replaceVanished();
      boolean usable = elf() != null && elf().architecture() == rules.architecture();
      unwindTable =
          UnwindTables.open(
              usable ? elf().unwindSections() : UnwindSections.none(rules.architecture()), rules);
    }
    return unwindTable;
  }

  /** The names of the tables that the symbols were read from. */
  public String symbolSource() {
    symbols();
    return symbolSource;
  }

  private void replaceVanished() {
    if (elf() instanceof FileElfImage file && !file.isReadable()) {
      opened = again.apply(opened);
    }
  }

  private void loadSymbols() {
    List<Symbols> tables = new ArrayList<>();
    List<String> sources = new ArrayList<>();
    try {
      addFullTable(tables, sources);
      Symbols dynsym = elf().dynsym();
      if (dynsym != null) {
        tables.add(dynsym);
        sources.add(".dynsym");
      }
      symbols = SymbolTableBuilder.build(tables, rules.memory());
      symbolSource = sources.isEmpty() ? "none" : String.join(" and ", sources);
    } catch (ElfFormatException e) {
      elf().problem("symbols", e);
    } finally {
      if (elf() instanceof FileElfImage file) {
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
    Symbols own = elf().symtab();
    if (own != null) {
      tables.add(own);
      sources.add(".symtab");
      return;
    }
    if (!(elf() instanceof FileElfImage file)) {
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
          // Only the names are copied, because only they are kept.
          ByteBuffer names = rules.memory().allocate(mini.names().limit());
          names.put(0, mini.names(), 0, names.limit());
          tables.add(new Symbols(mini.table(), names, mini.sections(), false));
          sources.add(".gnu_debugdata");
        }
      } catch (ElfFormatException e) {
        elf().problem(".gnu_debugdata", e);
      }
    }
  }

  /** The functions that the loader has chosen, if the image is a file that can be read. */
  List<IndirectFunctions.Slot> indirectFunctions() {
    if (indirect == null) {
      indirect =
          elf() instanceof FileElfImage file && file.isReadable()
              ? file.indirectFunctions()
              : List.of();
    }
    return indirect;
  }

  /** The stub of a linkage table at a virtual address; null if there is none that can be named. */
  LinkageStub linkageStubAt(long address) {
    return elf() instanceof FileElfImage file && file.isReadable()
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
    return address == 0 && elf() instanceof FileElfImage file && file.isReadable()
        ? file.addressOf(name)
        : address;
  }

  private Symbols exports() {
    if (exports == null) {
      replaceVanished();
      exports = elf() == null ? null : elf().dynsym();
    }
    return exports;
  }
}
