package stackweave.maps;

import java.util.ArrayList;
import java.util.List;
import stackweave.maps.ElfFormatException.Reason;
import stackweave.maps.ElfImage.Symbols;
import stackweave.unwind.RuleTable;
import stackweave.unwind.UnwindSections;
import stackweave.unwind.UnwindTable;
import stackweave.unwind.UnwindTables;

/**
 * The content of a module, shared by all places where the same image is mapped: symbols and unwind
 * information, each opened at first use.
 */
final class ModuleImage {
  private final ElfImage elf;
  private final ImageOrigin origin;
  private final String why;
  private final DebugFiles debugFiles;
  private final RuleTable rules;
  private final String path;

  private SymbolTable symbols;
  private String symbolSource = "";
  private UnwindTable unwindTable;

  /**
   * @param elf the image, or null with {@link ImageOrigin#NONE}
   * @param why why it was read there and nowhere better; "" where there is nothing to explain
   */
  ModuleImage(
      ElfImage elf,
      ImageOrigin origin,
      String why,
      DebugFiles debugFiles,
      RuleTable rules,
      String path) {
    this.elf = elf;
    this.origin = origin;
    this.why = why;
    this.debugFiles = debugFiles;
    this.rules = rules;
    this.path = path;
  }

  /** The image, or null if there is none that could be read. */
  ElfImage elf() {
    return elf;
  }

  ImageOrigin origin() {
    return origin;
  }

  /** Why it is this origin, and what was found broken. */
  String why() {
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

  SymbolTable symbols() {
    if (symbols == null) {
      symbols = SymbolTable.EMPTY;
      symbolSource = "none";
      if (elf != null) {
        loadSymbols();
      }
    }
    return symbols;
  }

  /** The rules for this image's code, by virtual address. */
  UnwindTable unwindTable() {
    if (unwindTable == null) {
      UnwindSections none = UnwindSections.none(rules.architecture());
      unwindTable = UnwindTables.open(none, rules);
      if (elf != null && elf.architecture() == rules.architecture()) {
        try {
          unwindTable = UnwindTables.open(elf.unwindSections(), rules);
        } catch (InternalError e) {
          elf.problem("unwind sections", new ElfFormatException(Reason.CHANGED, 0));
        }
      }
    }
    return unwindTable;
  }

  /** Which tables the symbols were read from. */
  String symbolSource() {
    symbols();
    return symbolSource;
  }

  private void loadSymbols() {
    List<Symbols> tables = new ArrayList<>();
    List<String> sources = new ArrayList<>();
    try {
      addFullTable(tables, sources);
      if (elf.dynsym() != null) {
        tables.add(elf.dynsym());
        sources.add(".dynsym");
      }
      symbols = SymbolTableBuilder.build(tables);
      symbolSource = sources.isEmpty() ? "none" : String.join(" and ", sources);
    } catch (ElfFormatException e) {
      elf.problem("symbols", e);
    } catch (InternalError e) {
      elf.problem("symbols", new ElfFormatException(Reason.CHANGED, 0));
    }
  }

  /** .symtab of the image itself, of its debug file, or the thinned one in .gnu_debugdata. */
  private void addFullTable(List<Symbols> tables, List<String> sources) {
    if (elf.symtab() != null) {
      tables.add(elf.symtab());
      sources.add(".symtab");
      return;
    }
    if (!(elf instanceof FileElfImage file)) {
      return;
    }
    DebugFiles.Found debug = debugFiles.find(file, path);
    if (debug != null) {
      tables.add(debug.image().symtab());
      sources.add(".symtab of " + debug.path());
      return;
    }
    if (file.miniDebugInfo() != null) {
      try {
        ImageBytes unpacked = new ImageBytes.OfBuffer(Compression.unpackXz(file.miniDebugInfo()));
        Symbols mini = FileElfImage.open(unpacked).symtab();
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
  long exported(String name) {
    if (elf == null || elf.dynsym() == null) {
      return 0;
    }
    try {
      return ExportedSymbols.find(elf.dynsym(), name);
    } catch (InternalError e) {
      elf.problem(".dynsym", new ElfFormatException(Reason.CHANGED, 0));
      return 0;
    }
  }
}
