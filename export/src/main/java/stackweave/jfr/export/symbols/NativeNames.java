package stackweave.jfr.export.symbols;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import stackweave.jfr.export.symbols.InlinedFunctions.Place;
import stackweave.jfr.read.FoundWay;
import stackweave.jfr.read.FrameText;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledMethod;
import stackweave.jfr.read.SampledModule;
import stackweave.maps.demangle.Demangler;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.ElfHeaders.SectionHeader;
import stackweave.maps.elf.ElfImage.Symbols;
import stackweave.maps.elf.FileElfImage;
import stackweave.maps.symbols.SymbolTable;
import stackweave.maps.symbols.SymbolTableBuilder;
import stackweave.unwind.TableMemory;

/**
 * Gives native frames the names that their recording lacks, and the functions that were inlined
 * into them with their lines, from files with the same build id. Names that the recording has are
 * kept. Used by the commands that read recordings; not thread-safe. To be closed when all was read.
 */
public final class NativeNames implements SampledFrame.Change, AutoCloseable {
  /** How inlined functions were found, which had no frame on the stack. */
  private static final FoundWay INLINED = new FoundWay("inlined, by debug information", false);

  private static final String NATIVE = "native";
  private static final String DEBUG_INFO = ".debug_info";

  /** The first answer may take long, as the tool reads all of a large file. */
  private static final long MAX_ANSWER_SECONDS = 120;

  /** Data of a library. */
  private static final class Library {
    private final Path file;
    private final SymbolTable symbols;
    private final InlinedFunctions inlined;
    private final Map<SampledMethod, SampledMethod> methods = new HashMap<>();

    Library(Path file, SymbolTable symbols, InlinedFunctions inlined) {
      this.file = file;
      this.symbols = symbols;
      this.inlined = inlined;
    }

    /** Returns the same object for equal methods. */
    SampledMethod one(SampledMethod method) {
      return methods.computeIfAbsent(method, same -> same);
    }
  }

  private static final Library UNKNOWN = new Library(null, SymbolTable.EMPTY, null);

  private final SymbolFiles files;
  private final Map<SampledModule, Library> libraries = new IdentityHashMap<>();
  private final Map<SampledMethod, SampledMethod> named = new IdentityHashMap<>();

  /** Notes by library, for libraries with functions whose name was not found. */
  private final Map<String, String> missing = new TreeMap<>();

  private final List<String> notes = new ArrayList<>();

  /**
   * @param directories the directories that are searched
   */
  public NativeNames(List<Path> directories) {
    files = new SymbolFiles(directories);
  }

  @Override
  public List<SampledFrame> of(SampledFrame frame, boolean isInnermost) {
    SampledModule module = frame.method().module();
    if (module == null
        || !frame.kind().equals(NATIVE)
        || frame.found() == INLINED
        || module.buildId().isEmpty()) {
      return List.of(frame);
    }
    Library library = libraries.computeIfAbsent(module, this::open);
    SampledMethod method = frame.method();
    if (FrameText.of(frame).symbol().isEmpty()) {
      method = named.computeIfAbsent(method, unnamed -> name(unnamed, library));
      if (method == frame.method()) {
        missing.put(module.name(), missing(module, library));
      }
    }
    if (library.inlined == null) {
      return method == frame.method() ? List.of(frame) : List.of(with(frame, method, frame.line()));
    }
    // A return address may be in the next function, if the called function does not return.
    long address = frame.method().start() + frame.offset() - (isInnermost ? 0 : 1);
    List<Place> places = library.inlined.at(address);
    if (places.isEmpty()) {
      return List.of(with(frame, method, frame.line()));
    }
    Place outermost = places.get(places.size() - 1);
    List<SampledFrame> frames = new ArrayList<>();
    frames.add(with(frame, inFile(method, outermost.file(), library), outermost.line()));
    for (int i = places.size() - 2; i >= 0; i--) {
      Place place = places.get(i);
      SampledMethod inlined =
          library.one(function(method, Demangler.shortName(place.name()), place.file()));
      frames.add(new SampledFrame(inlined, NATIVE, place.line(), frame.offset(), INLINED));
    }
    return frames;
  }

  private static SampledFrame with(SampledFrame frame, SampledMethod method, int line) {
    return new SampledFrame(method, frame.kind(), line, frame.offset(), frame.found());
  }

  private static SampledMethod inFile(SampledMethod method, String file, Library library) {
    return file.isEmpty() || file.equals(method.sourceFile())
        ? method
        : library.one(
            new SampledMethod(
                method.module(),
                method.className(),
                method.name(),
                method.descriptor(),
                method.modifiers(),
                file,
                method.start()));
  }

  private static SampledMethod name(SampledMethod unnamed, Library library) {
    int symbol = library.symbols.find(unnamed.start());
    return symbol == SymbolTable.NONE
        ? unnamed
        : library.one(function(unnamed, library.symbols.name(symbol), ""));
  }

  /** A function with the start of the method that it replaces, to which the offset is relative. */
  private static SampledMethod function(SampledMethod at, String name, String file) {
    return new SampledMethod(at.module(), "", name, "", 0, file, at.start());
  }

  private static String missing(SampledModule module, Library library) {
    return library == UNKNOWN
        ? String.format(
            "%s has functions without names, and no file with its build id %s and their symbols"
                + " was found",
            module.name(), module.buildId())
        : module.name() + " has functions without names in " + library.file + ", too";
  }

  private Library open(SampledModule module) {
    try {
      SymbolFiles.Found found = files.find(module.buildId());
      return found == null
          ? UNKNOWN
          : new Library(found.path(), symbols(found.image()), inlined(found));
    } catch (ElfFormatException | IOException e) {
      notes.add("symbols of " + module.name() + " can't be read: " + e.getMessage());
      return UNKNOWN;
    }
  }

  private static SymbolTable symbols(FileElfImage image) throws ElfFormatException {
    List<Symbols> tables =
        Stream.of(image.symtab(), image.dynsym()).filter(Objects::nonNull).toList();
    return SymbolTableBuilder.build(tables, TableMemory.HEAP);
  }

  private InlinedFunctions inlined(SymbolFiles.Found found) {
    boolean hasDebugInfo =
        found.image().headers.sections().stream()
            .map(SectionHeader::name)
            .anyMatch(DEBUG_INFO::equals);
    if (!hasDebugInfo) {
      return null;
    }
    InlinedFunctions inlined = InlinedFunctions.of(found.path(), MAX_ANSWER_SECONDS);
    if (inlined == null) {
      notes.add(
          found.path()
              + " knows inlined functions and lines, but there is no addr2line to read them:"
              + " install binutils or llvm");
    }
    return inlined;
  }

  /** Notes for the user on what was read so far, one line each. */
  public List<String> notes() {
    List<String> all = new ArrayList<>(notes);
    all.addAll(files.notes());
    all.addAll(missing.values());
    for (Library library : libraries.values()) {
      if (library.inlined != null && !library.inlined.failure().isEmpty()) {
        all.add(
            String.format(
                "addr2line on %s: %s; inlined functions and lines are missing",
                library.file, library.inlined.failure()));
      }
    }
    return all;
  }

  /** Ends the tools; frames that were changed before keep their names. */
  @Override
  public void close() {
    for (Library library : libraries.values()) {
      if (library.inlined != null) {
        library.inlined.close();
      }
    }
  }
}
