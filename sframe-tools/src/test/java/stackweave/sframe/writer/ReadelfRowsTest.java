package stackweave.sframe.writer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.unwind.Architecture;
import stackweave.unwind.Elf;
import stackweave.unwind.Location;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.Unsupported;
import stackweave.unwind.rule.UnwindSource;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.section.Section;
import stackweave.unwind.table.UnwindSections;
import stackweave.unwind.table.UnwindTables;

/** Rows derived from .eh_frame against what {@code readelf -wF} says of the same library. */
class ReadelfRowsTest {
  private static final Pattern FDE =
      Pattern.compile(
          "\\p{XDigit}{8,} .* FDE cie=(\\p{XDigit}+) pc=(\\p{XDigit}+)\\.\\.(\\p{XDigit}+)");
  private static final Pattern CIE = Pattern.compile("(\\p{XDigit}{8,}) .* CIE \"(\\w*)\".*");
  private static final Pattern ROW = Pattern.compile("\\p{XDigit}{16} \\S.*");
  private static final List<String> NAMES =
      List.of(
          "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12",
          "r13", "r14", "r15", "ra");

  private static final String PROGRAM =
      """
      extern int other(int *);
      int plain(int a, int b) {
        int c[4] = {a, b, a ^ b, 3};
        return other(c) + other(c + 1) * a + b;
      }
      int variable(int n) {
        int c[n + 1];
        c[0] = n;
        return other(c) + n;
      }
      """;

  @TempDir Path directory;

  private final RuleTable rules = new RuleTable(Architecture.X86_64);
  private UnwindTable table;
  private long rowsCompared;
  private long functionsCompared;
  private final List<String> differences = new ArrayList<>();

  @ParameterizedTest
  @ValueSource(strings = {"/lib64/ld-linux-x86-64.so.2", "/lib/x86_64-linux-gnu/libz.so.1"})
  void everyRowIsTheSame(String name) throws Exception {
    Path library = Path.of(name.replace("${java.home}", System.getProperty("java.home")));
    assumeTrue(Files.exists(library), "not on this machine: " + library);
    Elf elf = Elf.read(library);
    assumeTrue(elf.architecture == Architecture.X86_64);
    table = UnwindTables.open(elf.ehFrameOnly(), rules);
    assertEquals(UnwindSource.EH_FRAME, table.source());

    compareWithReadelf(library);

    assertEquals(List.of(), differences.stream().limit(20).toList());
    assertEquals(functionsCompared, table.functionCount());
    assertTrue(rowsCompared > 2 * functionsCompared, rowsCompared + " rows");
  }

  void anIndexBuiltWithoutHdrFindsTheSame(String name) throws Exception {
    Path library = Path.of(name);
    assumeTrue(Files.exists(library), "not on this machine: " + library);
    Section ehFrame = Elf.read(library).section(".eh_frame");
    table =
        UnwindTables.open(
            new UnwindSections(null, null, ehFrame, null, Architecture.X86_64), rules);

    compareWithReadelf(library);

    assertEquals(List.of(), differences.stream().limit(20).toList());
    assertTrue(functionsCompared > 1000, functionsCompared + " functions");
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5})
  void debugFrameSaysTheSame(int dwarfVersion) throws Exception {
    Path source = directory.resolve("a.c");
    Path library = directory.resolve("a.so");
    Files.writeString(source, PROGRAM);
    Process gcc;
    try {
      gcc =
          new ProcessBuilder(
                  "gcc",
                  "-gdwarf-" + dwarfVersion,
                  "-O1",
                  "-fno-asynchronous-unwind-tables",
                  "-fno-exceptions",
                  "-shared",
                  "-fPIC",
                  "-nostdlib",
                  "-o",
                  library.toString(),
                  source.toString())
              .inheritIO()
              .start();
    } catch (IOException e) {
      assumeTrue(false, "no gcc");
      return;
    }
    assertEquals(0, gcc.waitFor());
    Elf elf = Elf.read(library);
    table =
        UnwindTables.open(
            new UnwindSections(null, null, null, elf.section(".debug_frame"), Architecture.X86_64),
            rules);
    assertEquals(UnwindSource.DEBUG_FRAME, table.source());
    assertEquals("no .sframe; no .eh_frame", table.why());

    compareWithReadelf(library);

    assertEquals(List.of(), differences);
    assertEquals(2, functionsCompared);
    assertTrue(rowsCompared > 6, rowsCompared + " rows");
  }

  private void compareWithReadelf(Path library) throws IOException, InterruptedException {
    Process readelf =
        new ProcessBuilder("readelf", "-wF", "-wN", library.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    Map<String, String> cieRows = new LinkedHashMap<>();
    Map<String, Boolean> cieSignals = new LinkedHashMap<>();
    try (BufferedReader lines = readelf.inputReader()) {
      String cie = null;
      boolean signal = false;
      boolean done = true;
      long start = 0;
      long end = 0;
      List<String> columns = List.of();
      Map<Long, String> rows = new LinkedHashMap<>();
      for (String line = ""; line != null; line = lines.readLine()) {
        Matcher fde = FDE.matcher(line);
        Matcher cieLine = CIE.matcher(line);
        boolean header = fde.matches() || cieLine.matches();
        if (header && !done) {
          function(start, end, signal, rows, columns, cieRows.get(cie));
        }
        if (cieLine.matches()) {
          done = true;
          cie = cieLine.group(1);
          cieSignals.put(strip(cie), cieLine.group(2).contains("S"));
        } else if (fde.matches()) {
          done = false;
          cie = strip(fde.group(1));
          signal = cieSignals.getOrDefault(cie, false);
          start = Long.parseUnsignedLong(fde.group(2), 16);
          end = Long.parseUnsignedLong(fde.group(3), 16);
          rows = new LinkedHashMap<>();
        } else if (line.startsWith("   LOC")) {
          columns = List.of(line.trim().split("\\s+"));
        } else if (ROW.matcher(line).matches()) {
          String[] cells = line.trim().split("\\s+", 2);
          if (done) {
            cieRows.put(strip(cie), columns + "|" + line);
          } else {
            rows.put(Long.parseUnsignedLong(cells[0], 16), line);
          }
        }
      }
      if (!done) {
        function(start, end, signal, rows, columns, cieRows.get(cie));
      }
    }
    assertEquals(0, readelf.waitFor());
  }

  private static String strip(String hex) {
    return hex == null ? null : Long.toHexString(Long.parseUnsignedLong(hex, 16));
  }

  private void function(
      long start,
      long end,
      boolean signal,
      Map<Long, String> rows,
      List<String> columns,
      String cieRow) {
    functionsCompared++;
    if (rows.isEmpty() && cieRow != null) {
      // The FDE changes nothing: all of it is the CIE's row.
      List<String> cieColumns = List.of(cieRow.substring(1, cieRow.indexOf(']')).split(", "));
      row(start, signal, cieColumns, cieRow.substring(cieRow.indexOf('|') + 1));
    }
    for (Map.Entry<Long, String> row : rows.entrySet()) {
      if (Long.compareUnsigned(row.getKey(), end) < 0) {
        row(row.getKey(), signal, columns, row.getValue());
      }
    }
    if (signal) {
      return;
    }
    // The last byte belongs to the last row; the byte before the function does not to its first.
    int last = table.find(end - 1);
    if (last == UnwindTable.NO_RULE) {
      differences.add(Long.toHexString(end - 1) + ": no rule in the last byte");
    }
  }

  private void row(long pc, boolean signal, List<String> columns, String line) {
    rowsCompared++;
    String[] cells = line.trim().replaceAll("r\\d+ \\((\\w+)\\)", "$1").split("\\s+");
    int rule = table.find(pc);
    String expected = line.trim();
    if (rule < 0) {
      differences.add(expected + " but no rule");
      return;
    }
    if (signal) {
      if (rules.kind(rule) != RuleTable.SIGNAL_FRAME) {
        differences.add(expected + " but " + rules.describe(rule));
      }
      return;
    }
    int raColumn = columns.indexOf("ra");
    if (raColumn >= 0 && cells[raColumn].equals("u")) {
      if (rules.kind(rule) != RuleTable.OUTERMOST) {
        differences.add(expected + " but " + rules.describe(rule));
      }
      return;
    }
    if (!isSame(cells, columns, rule)) {
      differences.add(expected + " but " + rules.describe(rule));
    }
  }

  private boolean isSame(String[] cells, List<String> columns, int rule) {
    int stack = columns.indexOf("rsp");
    if (stack >= 0 && !List.of("u", "s", "v+0").contains(cells[stack])) {
      return rules.unsupported(rule) == Unsupported.STACK_POINTER;
    }
    if (rules.kind(rule) == RuleTable.UNSUPPORTED) {
      return rules.unsupported(rule) == Unsupported.EXPRESSION && cells[1].equals("exp");
    }
    if (rules.kind(rule) != RuleTable.FRAME || !cells[1].equals(cfaText(rule))) {
      // A PLT expression comes out as one of its two plain rules.
      boolean plt =
          cells[1].equals("exp") && rules.describe(rule).matches("cfa=r7\\+(8|16) ra=c-8");
      if (!plt) {
        return false;
      }
    }
    for (int i = 2; i < columns.size(); i++) {
      int register = NAMES.indexOf(columns.get(i));
      long location = register == 16 ? rules.ra(rule) : location(rule, register);
      if (location >= 0 && !isSame(cells[i], location)) {
        return false;
      }
    }
    return true;
  }

  private long location(int rule, int register) {
    int[] tracked = Architecture.X86_64.calleeSaved();
    for (int i = 0; i < tracked.length; i++) {
      if (tracked[i] == register) {
        return rules.register(rule, i);
      }
    }
    return -1;
  }

  private String cfaText(int rule) {
    long cfa = rules.cfa(rule);
    return Location.kind(cfa) == Location.REGISTER_PLUS
        ? NAMES.get(Location.register(cfa)) + String.format("%+d", Location.offset(cfa))
        : "exp";
  }

  private static boolean isSame(String cell, long location) {
    return switch (Location.kind(location)) {
      case Location.SAME -> cell.equals("u") || cell.equals("s");
      case Location.AT_CFA ->
          cell.equals(String.format("c%+d", Location.offset(location))) || cell.equals("exp");
      case Location.CFA_PLUS -> cell.equals(String.format("v%+d", Location.offset(location)));
      case Location.REGISTER_PLUS ->
          cell.equals(NAMES.get(Location.register(location))) || cell.equals("vexp");
      case Location.AT_REGISTER -> cell.equals("exp") || cell.equals("vexp");
      case Location.UNKNOWN -> cell.equals("u") || cell.contains("exp");
      default -> false;
    };
  }
}
