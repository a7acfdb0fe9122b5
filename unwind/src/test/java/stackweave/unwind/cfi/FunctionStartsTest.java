package stackweave.unwind.cfi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.unwind.Architecture;
import stackweave.unwind.Elf;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindSource;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.sframe.Corpus;
import stackweave.unwind.table.UnwindSections;
import stackweave.unwind.table.UnwindTables;

/**
 * Where functions begin, and where code begins and ends that belongs to none: the same as the FDEs
 * that {@code readelf -wf} lists.
 */
class FunctionStartsTest {
  private static final Pattern FDE =
      Pattern.compile(".* FDE .*pc=(\\p{XDigit}+)\\.\\.(\\p{XDigit}+)");

  private final List<String> differences = new ArrayList<>();
  private int gaps;

  @ParameterizedTest
  @ValueSource(strings = {"/lib/x86_64-linux-gnu/libc.so.6", "/lib/x86_64-linux-gnu/libz.so.1"})
  void ofEhFrame(String name) throws Exception {
    Path library = Path.of(name.replace("${java.home}", System.getProperty("java.home")));
    assumeTrue(Files.exists(library), "not on this machine: " + library);
    TreeMap<Long, Long> functions = readelf(library);
    Elf elf = Elf.read(library);
    UnwindSections sections = elf.ehFrameOnly();
    compare(functions, UnwindTables.open(sections, new RuleTable(elf.architecture)));
    assertTrue(gaps > 10, gaps + " gaps");

    // The same by an index that had to be built.
    UnwindSections withoutHdr =
        new UnwindSections(null, null, sections.ehFrame(), null, elf.architecture);
    compare(functions, UnwindTables.open(withoutHdr, new RuleTable(elf.architecture)));
  }

  /** Assemblers write an entry of .sframe for each FDE: those of .eh_frame are its truth. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "x86_64-O2-nofp/prog-v2e.elf",
        "x86_64-O2-nofp/prog-v3.elf",
        "x86_64-big/prog-v3.elf",
        "aarch64-O2/prog-v2e.elf",
        "s390x-O2-nofp/prog-v3.elf"
      })
  void ofSframe(String name) throws Exception {
    Path program = Corpus.builtIn().resolve("live").resolve(name);
    Elf elf = Elf.read(program);
    TreeMap<Long, Long> functions = readelf(program);
    RuleTable rules = new RuleTable(elf.architecture);
    UnwindTable sframe = UnwindTables.open(elf.sframeOnly(), rules);
    assertTrue(sframe.source() != UnwindSource.EH_FRAME);
    int same = 0;
    for (Map.Entry<Long, Long> function : functions.entrySet()) {
      long start = sframe.functionStart(function.getKey());
      if (start != UnwindTable.NO_ADDRESS) {
        assertEquals(Long.toHexString(function.getKey()), Long.toHexString(start));
        assertEquals(start, sframe.functionStart(function.getValue() - 1));
        same++;
      }
    }
    assertTrue(same > 2 && same >= sframe.functionCount() - 2, same + " of " + functions.size());

    // Both together know the functions of each.
    compare(functions, UnwindTables.open(elf.unwindSections(), rules));
  }

  @Test
  void withoutUnwindInformationNothingIsKnown() {
    UnwindTable none =
        UnwindTables.open(
            UnwindSections.none(Architecture.X86_64), new RuleTable(Architecture.X86_64));
    assertEquals(UnwindTable.NO_ADDRESS, none.functionStart(0x1000));
    assertEquals(UnwindTable.NO_ADDRESS, none.functionEndBelow(0x1000));
    assertEquals(UnwindTable.NO_ADDRESS, none.functionStartAbove(0x1000));
  }

  private void compare(TreeMap<Long, Long> functions, UnwindTable table) {
    long end = UnwindTable.NO_ADDRESS;
    gaps = 0;
    for (Map.Entry<Long, Long> function : functions.entrySet()) {
      long start = function.getKey();
      if (end != start) {
        gap(table, end, start);
        gaps++;
      }
      end = function.getValue();
      same("first byte", start, table.functionStart(start));
      same("middle", start, table.functionStart(start + (end - start) / 2));
      same("last byte", start, table.functionStart(end - 1));
    }
    gap(table, end, UnwindTable.NO_ADDRESS);
    assertEquals(List.of(), differences.stream().limit(20).toList());
  }

  private void gap(UnwindTable table, long from, long to) {
    long first = from == UnwindTable.NO_ADDRESS ? to - 1 : from;
    long last = to == UnwindTable.NO_ADDRESS ? from + 100 : to - 1;
    for (long address : new long[] {first, last}) {
      same("gap", UnwindTable.NO_ADDRESS, table.functionStart(address));
      same("end below the gap", from, table.functionEndBelow(address));
      same("start above the gap", to, table.functionStartAbove(address));
    }
  }

  private void same(String what, long expected, long found) {
    if (expected != found) {
      differences.add(what + ": " + Long.toHexString(expected) + " but " + Long.toHexString(found));
    }
  }

  private static TreeMap<Long, Long> readelf(Path library)
      throws IOException, InterruptedException {
    Process readelf =
        new ProcessBuilder("readelf", "-wf", "-wN", library.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    TreeMap<Long, Long> functions = new TreeMap<>();
    try (BufferedReader lines = readelf.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Matcher fde = FDE.matcher(line);
        if (fde.matches()) {
          long start = Long.parseUnsignedLong(fde.group(1), 16);
          long end = Long.parseUnsignedLong(fde.group(2), 16);
          if (start != end) {
            functions.merge(start, end, Math::max);
          }
        }
      }
    }
    assertEquals(0, readelf.waitFor());
    return functions;
  }
}
