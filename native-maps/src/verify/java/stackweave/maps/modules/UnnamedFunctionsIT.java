package stackweave.maps.modules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.maps.RealLibraries;
import stackweave.maps.Symbols;
import stackweave.maps.elf.ElfHeaders;
import stackweave.maps.elf.UnknownCode;
import stackweave.maps.proc.Mapping;
import stackweave.maps.symbols.SymbolTable;
import stackweave.maps.symbols.SymbolTableTest;
import stackweave.testing.Commands;
import stackweave.testing.Gcc;
import stackweave.unwind.rule.UnwindTable;

/** Code that has no symbol, by {@code nm} and {@code readelf}. */
class UnnamedFunctionsIT {
  private static final Pattern FDE =
      Pattern.compile(".* FDE .*pc=(\\p{XDigit}+)\\.\\.(\\p{XDigit}+)");

  /** As a file that is mapped where it was linked. */
  private static MappedModule module(Path library) throws Exception {
    ModuleImage image = SymbolTableTest.image(library, Path.of("/nonexistent"));
    ElfHeaders.Segment code =
        image.elf().headers.segments().stream()
            .filter(s -> s.type() == ElfHeaders.PT_LOAD && s.executable())
            .findFirst()
            .orElseThrow();
    long start = code.vaddr() & -4096;
    Mapping mapping =
        new Mapping(
            start,
            code.vaddr() + code.memorySize(),
            true,
            false,
            true,
            false,
            code.offset() & -4096,
            0,
            0,
            0,
            library.toString(),
            false);
    MappedModule module = new MappedModule(1, mapping, image);
    assertEquals(0, module.bias());
    return module;
  }

  private static TreeMap<Long, Long> functions(Path library) throws Exception {
    TreeMap<Long, Long> functions = new TreeMap<>();
    Matcher fdes = FDE.matcher(Commands.output("readelf", "-wf", "-wN", library.toString()));
    while (fdes.find()) {
      functions.merge(
          Long.parseLong(fdes.group(1), 16), Long.parseLong(fdes.group(2), 16), Math::max);
    }
    return functions;
  }

  /**
   * The C library with its .dynsym alone: at each function's first and last byte the symbol that nm
   * has there, and no other's; else the function's start.
   */
  @Test
  void aStrippedLibrary() throws Exception {
    Path libc = RealLibraries.mapped("libc.so.6");
    MappedModule module = module(libc);
    List<long[]> sized = new ArrayList<>();
    Map<Long, String> names = new HashMap<>();
    for (String line :
        Commands.output("nm", "-DS", "--defined-only", libc.toString()).split("\n")) {
      String[] fields = line.split(" ");
      if (fields.length == 4 && "tTwWi".contains(fields[2])) {
        long start = Long.parseLong(fields[0], 16);
        sized.add(new long[] {start, start + Long.parseLong(fields[1], 16)});
        names.put(start, fields[3]);
      }
    }
    int without = 0;
    for (Map.Entry<Long, Long> function : functions(libc).entrySet()) {
      for (long pc : new long[] {function.getKey(), function.getValue() - 1}) {
        boolean covered = sized.stream().anyMatch(s -> s[0] <= pc && pc < s[1]);
        int symbol = module.symbolAt(pc);
        assertEquals(covered, symbol != SymbolTable.NONE, () -> Long.toHexString(pc));
        if (covered) {
          assertTrue(names.containsKey(module.symbols().start(symbol)));
        } else {
          assertEquals(function.getKey(), module.unwindTable().functionStart(pc));
          without++;
        }
      }
    }
    assertTrue(without > 1000, without + " without a symbol: is this libc stripped?");
  }

  private static final String SOURCE =
      """
      __attribute__((noinline)) static int one(int x) { return x * 3 + 1; }
      __attribute__((noinline)) static int two(int x) { return one(x) * 5 + one(x + 1); }
      int shown(int x) { return two(x) + one(x); }
      __asm__(
        ".text\\n"
        ".globl assembly\\n.type assembly,@function\\n"
        "assembly: nop\\nnop\\nnop\\nret\\n");
      int more(int x) { return shown(x) + two(x) - one(x); }
      """;

  private static Map<String, Long> nm(Path library) throws Exception {
    Map<String, Long> symbols = new HashMap<>();
    for (String line : Commands.output("nm", library.toString()).split("\n")) {
      if (line.charAt(0) != ' ') {
        symbols.put(line.substring(19), Long.parseLong(line.substring(0, 16), 16));
      }
    }
    return symbols;
  }

  /** {@code strip -x} leaves a .symtab in which the assembly would reach to the next symbol. */
  @Test
  void aSymbolWithoutSizeEndsWhereAFunctionBegins(@TempDir Path directory) throws Exception {
    Path library = Gcc.library(directory, "order", SOURCE, "-fno-toplevel-reorder");
    // The assembly first, then functions of which only `more` keeps its symbol.
    Path reordered =
        Gcc.library(
            directory,
            "assembly",
            SOURCE.replaceAll("(?s)(.*)(__asm__.*?;\n)(.*)", "$2$1$3"),
            "-fno-toplevel-reorder",
            "-fvisibility=hidden");
    for (Path file : List.of(library, reordered)) {
      Map<String, Long> at = nm(file);
      Commands.output("strip", "-x", file.toString());
      MappedModule module = module(file);
      assertEquals("assembly", Symbols.at(module, at.get("assembly") + 3));
      assertEquals("none", Symbols.at(module, at.get("one")));
      assertEquals("none", Symbols.at(module, at.get("two") + 1));
      long two = at.get("two");
      assertEquals(two, module.unwindTable().functionStart(two + 1));
    }
  }

  @Test
  void codeThatNothingDescribesIsOnePiece(@TempDir Path directory) throws Exception {
    Path library = Gcc.library(directory, "gap", SOURCE, "-fno-toplevel-reorder");
    long assembly = nm(library).get("assembly");
    Commands.output("strip", "-s", library.toString());
    TreeMap<Long, Long> functions = functions(library);
    MappedModule module = module(library);
    UnknownCode expected =
        new UnknownCode(functions.floorEntry(assembly).getValue(), functions.higherKey(assembly));
    for (long pc = assembly; pc < assembly + 4; pc++) {
      assertEquals("none", Symbols.at(module, pc));
      assertEquals(UnwindTable.NO_ADDRESS, module.unwindTable().functionStart(pc));
      assertEquals(expected, module.unknownCodeAt(pc));
    }
    assertTrue(expected.start() <= assembly && expected.end() - expected.start() < 64);

    // Before the first function: from the section's start.
    Matcher text =
        Pattern.compile("\\.text +PROGBITS +(\\p{XDigit}+)")
            .matcher(Commands.output("readelf", "-SW", library.toString()));
    assertTrue(text.find());
    long start = Long.parseLong(text.group(1), 16);
    assertEquals(new UnknownCode(start, functions.higherKey(start)), module.unknownCodeAt(start));
    assertNull(module.unknownCodeAt(module.end() + 4096));
  }
}
