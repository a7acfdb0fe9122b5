package stackweave.engine.probe;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import stackweave.engine.perf.event.MappedFile;
import stackweave.engine.probe.AllocationProbes.RefusedException;
import stackweave.engine.probe.AllocationProgram.Place;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.Libc;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.ElfImage.Symbols;
import stackweave.maps.elf.FileElfImage;
import stackweave.maps.proc.Mapping;
import stackweave.maps.proc.ProcMaps;
import stackweave.tableless.x86.FunctionExits;

/**
 * Where malloc, calloc, realloc and free of the C library begin and return, as offsets in its file.
 * Other libraries with a malloc are refused, because they store the size of a block elsewhere.
 */
final class AllocatorFunctions {
  private static final String DYNAMIC_LINKER = "ld-";

  private static final List<String> OTHERS = List.of("jemalloc", "tcmalloc", "mimalloc", "asan");

  /** The functions whose calls a probe counts; malloc must be the first. */
  enum Function {
    MALLOC,
    CALLOC,
    REALLOC,
    FREE;

    private String symbol() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A place for a probe.
   *
   * @param offset in the library's file, in bytes
   * @param isEntry whether the function is entered there; otherwise it returns
   */
  record Probe(Function function, Place place, boolean isEntry, long offset) {
    /** Whether it is needed only to compare counts. */
    boolean isForCount() {
      return place == Place.COUNT;
    }
  }

  private final String path;
  private final List<Probe> probes = new ArrayList<>();
  private final long[] begins = new long[Function.values().length];

  private AllocatorFunctions(String path) {
    this.path = path;
  }

  String path() {
    return path;
  }

  List<Probe> probes() {
    return probes;
  }

  /**
   * Finds the functions in a process.
   *
   * @throws RefusedException if that is not possible
   */
  static AllocatorFunctions find(SampledProcess process) throws RefusedException {
    try {
      LibcFunctions libc = LibcFunctions.of(process);
      if (libc == null) {
        throw new RefusedException(
            "no C library is mapped by the name libc.so.6, or it was updated since the JVM started");
      }
      for (Mapping mapping : ProcMaps.read(process.directory())) {
        String name = mapping.path().substring(mapping.path().lastIndexOf('/') + 1);
        if (mapping.isFile()
            && mapping.executable()
            && !mapping.path().equals(libc.code().path())
            && (OTHERS.stream().anyMatch(name::contains) || mayBeFirst(process, mapping, name))) {
          throw new RefusedException(
              "malloc may be that of " + name + ", and not of the C library; it is not supported");
        }
      }
      return read(libc.path(), libc.code().offset());
    } catch (IOException | ElfFormatException e) {
      throw new RefusedException("the C library can't be read: " + e.getMessage());
    }
  }

  /**
   * Whether the process's malloc may be that of a library that was loaded before the C library, by
   * LD_PRELOAD or by the launcher. Which one another process took is not known: there it is any
   * that exports one, except the dynamic linker, whose own is used only until the C library is
   * loaded.
   */
  private static boolean mayBeFirst(SampledProcess process, Mapping mapping, String name)
      throws IOException {
    String symbol = Function.MALLOC.symbol();
    if (process.isOwn()) {
      long malloc = Libc.symbol(symbol);
      return malloc >= mapping.start() && malloc < mapping.end();
    }
    if (name.startsWith(DYNAMIC_LINKER)) {
      return false;
    }
    try {
      Symbols exported = FileElfImage.open(Path.of(MappedFile.path(process, mapping))).dynsym();
      return exported != null && exported.addressOf(symbol) != 0;
    } catch (ElfFormatException e) {
      return false; // no library
    }
  }

  /**
   * Finds the functions in a library's file.
   *
   * @param codeOffset offset of the mapped code in the file
   */
  static AllocatorFunctions read(String path, long codeOffset)
      throws RefusedException, IOException, ElfFormatException {
    AllocatorFunctions functions = new AllocatorFunctions(path);
    for (Function function : Function.values()) {
      functions.add(function, codeOffset);
    }
    if (functions.probes.size() > AllocationProgram.MAX_PLACES) {
      throw new RefusedException("the C library's functions return at too many places");
    }
    return functions;
  }

  private void add(Function function, long codeOffset)
      throws RefusedException, IOException, ElfFormatException {
    String name = function.symbol();
    LibcFunctions.Function found = LibcFunctions.find(path, codeOffset, name);
    if (found == null) {
      throw new RefusedException("the C library has no function " + name);
    }
    long begin = found.offset();
    begins[function.ordinal()] = begin;
    if (function == Function.FREE) {
      probes.add(new Probe(function, Place.FREE, true, begin));
      return;
    }
    List<FunctionExits.Exit> exits = FunctionExits.of(found.code());
    if (exits == null || exits.isEmpty()) {
      throw new RefusedException("where " + name + " of the C library returns is not known");
    }
    probes.add(
        new Probe(function, function == Function.REALLOC ? Place.FREE : Place.COUNT, true, begin));
    for (FunctionExits.Exit exit : exits) {
      probes.add(new Probe(function, place(function, exit, begin), false, begin + exit.offset()));
    }
  }

  private Place place(Function function, FunctionExits.Exit exit, long begin)
      throws RefusedException {
    if (exit.target() == FunctionExits.RETURN) {
      return Place.RETURN;
    }
    if (function == Function.REALLOC
        && begin + exit.target() == begins[Function.MALLOC.ordinal()]) {
      return Place.COUNT; // malloc's own probe reports the block
    }
    if (function == Function.CALLOC) {
      return Place.JUMP_TO_FILL;
    }
    throw new RefusedException(
        function.symbol() + " of the C library ends in another function, which is not known");
  }
}
