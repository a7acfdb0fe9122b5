package stackweave.maps.symbols;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.maps.RealLibraries;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.ElfImage;
import stackweave.maps.elf.FileElfImage;
import stackweave.maps.modules.DebugFiles;
import stackweave.maps.modules.ImageOrigin;
import stackweave.maps.modules.ModuleImage;
import stackweave.maps.modules.OpenedImage;
import stackweave.maps.proc.ProcessFiles;
import stackweave.testing.Commands;
import stackweave.testing.Gcc;
import stackweave.unwind.Architecture;
import stackweave.unwind.TableMemory;
import stackweave.unwind.rule.RuleTable;

/** Symbols as {@code nm} lists them. */
public class SymbolTableTest {

  static List<Path> libraries() {
    return RealLibraries.small();
  }

  /** One line of {@code nm -S}: address, size, type letter, name. */
  private record Line(long address, long size, char type, String name) {

    boolean isFunction() {
      return "tTwWi".indexOf(type) >= 0;
    }
  }

  private static List<Line> nm(Path library, String... options)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("nm", "-S", "--defined-only"));
    command.addAll(List.of(options));
    command.add(library.toString());
    List<Line> lines = new ArrayList<>();
    for (String line : Commands.output(command).split("\n")) {
      String[] f = line.split(" ");
      if (f.length >= 3) {
        boolean sized = f[1].length() == 16;
        String name = f[sized ? 3 : 2];
        int version = name.indexOf('@');
        lines.add(
            new Line(
                Long.parseUnsignedLong(f[0], 16),
                sized ? Long.parseUnsignedLong(f[1], 16) : 0,
                f[sized ? 2 : 1].charAt(0),
                version > 0 ? name.substring(0, version) : name));
      }
    }
    return lines;
  }

  public static SymbolTable symbols(Path library) throws ElfFormatException {
    return image(library, Path.of("/nonexistent")).symbols();
  }

  public static ModuleImage image(Path library, Path debugRoot) throws ElfFormatException {
    return new ModuleImage(
        new OpenedImage(FileElfImage.open(library), ImageOrigin.FILE, ""),
        new DebugFiles(ProcessFiles.OWN, debugRoot, TableMemory.HEAP),
        new RuleTable(Architecture.X86_64),
        library.toString(),
        UnaryOperator.identity());
  }

  /** A made-up table: 5,000 names that are each all that is left of one text of half a MiB. */
  @Test
  void namesThatShareALongTextAreTooLarge() {
    int count = 5_000;
    byte[] text = new byte[512 << 10];
    Arrays.fill(text, 1, text.length - 1, (byte) 'x');
    ByteBuffer table = ByteBuffer.allocate(24 * (count + 1)).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 1; i <= count; i++) {
      table.putInt(24 * i, i); // st_name
      table.put(24 * i + 4, (byte) 0x12); // STB_GLOBAL, STT_FUNC
      table.putShort(24 * i + 6, (short) 1); // st_shndx
      table.putLong(24 * i + 8, 0x1000 + 16L * i); // st_value
      table.putLong(24 * i + 16, 16); // st_size
    }
    ElfImage.Symbols made = new ElfImage.Symbols(table, ByteBuffer.wrap(text), List.of(), true);
    ElfFormatException refused =
        assertThrows(
            ElfFormatException.class,
            () -> SymbolTableBuilder.build(List.of(made), TableMemory.HEAP));
    assertEquals(ElfFormatException.Reason.TOO_LARGE, refused.reason());
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void everyFunctionOfNmIsFoundByItsFirstAndLastByte(Path library) throws Exception {
    SymbolTable symbols = symbols(library);
    List<Line> lines = new ArrayList<>(nm(library, "-D"));
    if (FileElfImage.open(library).symtab() != null) {
      lines.addAll(nm(library));
    }
    Map<Long, Set<String>> names = new HashMap<>();
    TreeMap<Long, Long> sizes = new TreeMap<>();
    for (Line line : lines) {
      if (line.isFunction() && line.size() > 0) {
        names.computeIfAbsent(line.address(), a -> new HashSet<>()).add(line.name());
        sizes.merge(line.address(), line.size(), Math::max);
      }
    }
    assertTrue(sizes.size() > 20, "nm knows " + sizes.size());
    for (Map.Entry<Long, Long> e : sizes.entrySet()) {
      long address = e.getKey();
      int symbol = symbols.find(address);
      assertTrue(symbol != SymbolTable.NONE, () -> "nothing at " + Long.toHexString(address));
      assertEquals(address, symbols.start(symbol));
      assertTrue(names.get(address).contains(symbols.rawName(symbol)), symbols.rawName(symbol));
      long last = address + symbols.size(symbol) - 1;
      assertTrue(symbols.size(symbol) <= e.getValue());
      Long inner = sizes.floorKey(last);
      assertEquals(inner == null ? address : inner, symbols.start(symbols.find(last)));
    }
  }

  /** In a stripped library what no symbol covers has no name; asked at every symbol's end. */
  @Test
  void nothingIsNamedAfterItsNeighbour() throws Exception {
    Path libc = RealLibraries.mapped("libc.so.6");
    SymbolTable symbols = symbols(libc);
    List<Line> lines = nm(libc, "-D").stream().filter(Line::isFunction).toList();
    int gaps = 0;
    for (Line line : lines) {
      long end = line.address() + line.size();
      boolean covered =
          lines.stream().anyMatch(l -> l.address() <= end && end < l.address() + l.size());
      assertEquals(covered, symbols.find(end) != SymbolTable.NONE, () -> Long.toHexString(end));
      gaps += covered ? 0 : 1;
    }
    assertTrue(gaps > 100, "only " + gaps + " gaps: is this libc stripped?");
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void everyExportedNameIsFound(Path library) throws Exception {
    ElfImage.Symbols exports = FileElfImage.open(library).dynsym();
    Map<String, Set<Long>> addresses = new HashMap<>();
    for (Line line : nm(library, "-D")) {
      addresses.computeIfAbsent(line.name(), name -> new HashSet<>()).add(line.address());
    }
    for (Map.Entry<String, Set<Long>> e : addresses.entrySet()) {
      assertTrue(e.getValue().contains(exports.addressOf(e.getKey())));
    }
    assertEquals(0, exports.addressOf("no such name"));
  }

  @Test
  void theNameThatPeopleKnowIsPreferred() throws Exception {
    SymbolTable symbols = symbols(RealLibraries.mapped("libc.so.6"));
    Map<String, Long> addresses = new HashMap<>();
    nm(RealLibraries.mapped("libc.so.6"), "-D")
        .forEach(line -> addresses.put(line.name(), line.address()));
    for (String name : List.of("malloc", "free", "read", "write", "memcpy", "poll", "nanosleep")) {
      int symbol = symbols.find(addresses.get(name));
      assertEquals(0, symbols.rawName(symbol).lastIndexOf('_') + 1, symbols.rawName(symbol));
      if (!name.equals("memcpy")) {
        assertEquals(name, symbols.rawName(symbol));
      }
    }
  }

  private static final String ASSEMBLY =
      """
      __asm__(
        ".text\\n"
        ".globl unsized\\n.type unsized,@function\\n"
        "unsized: nop\\nnop\\nnop\\nret\\n"
        ".globl bare\\n"
        "bare: nop\\nret\\n"
        ".globl outer\\n.type outer,@function\\n"
        "outer: nop\\n"
        "label: nop\\n"
        "inner: nop\\n.type inner,@function\\n.size inner,1\\n"
        "nop\\nret\\n"
        ".size outer,.-outer\\n");
      """;

  @Test
  void symbolsWithoutSizeReachToTheNextOneUnlessStripped(@TempDir Path directory) throws Exception {
    Path library = Gcc.library(directory, "asm", ASSEMBLY);
    Map<String, Long> at = new HashMap<>();
    nm(library).forEach(line -> at.put(line.name(), line.address()));

    SymbolTable symbols = symbols(library);
    assertEquals("unsized", name(symbols, at.get("unsized") + 3));
    assertEquals("bare", name(symbols, at.get("unsized") + 4));
    assertEquals("outer", name(symbols, at.get("outer")));
    assertEquals("outer", name(symbols, at.get("label")));
    assertEquals("inner", name(symbols, at.get("inner")));
    assertEquals("outer", name(symbols, at.get("inner") + 1));

    Commands.output("strip", library.toString());
    symbols = symbols(library);
    assertEquals("none", name(symbols, at.get("unsized")));
    assertEquals("none", name(symbols, at.get("bare")));
    assertEquals("outer", name(symbols, at.get("inner")));
  }

  private static String name(SymbolTable symbols, long address) {
    int symbol = symbols.find(address);
    return symbol == SymbolTable.NONE ? "none" : symbols.rawName(symbol);
  }
}
