package stackweave.unwind.cfi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.unwind.Elf;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindSource;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.sframe.Corpus;
import stackweave.unwind.sframe.SFrameFunction;
import stackweave.unwind.sframe.SFrameRow;
import stackweave.unwind.sframe.SFrameSection;
import stackweave.unwind.table.UnwindTables;

/** Rows derived from .eh_frame say what the assembler's SFrame V3 rows of the same file say. */
class DerivedRowsTest {

  static Stream<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    for (String set : List.of("x86_64-v3", "aarch64-v3", "aarch64be-v3", "s390x-v3")) {
      for (Path file : Corpus.list(set, "exe-*.elf")) {
        Elf elf = Elf.read(file);
        if (elf.sframe() != null && elf.sframe().bytes().limit() > 0) {
          files.add(file);
        }
      }
    }
    for (Path directory : Corpus.list("live", "*")) {
      files.add(directory.resolve("prog-v3.elf"));
    }
    return files.stream();
  }

  @ParameterizedTest(allowZeroInvocations = true)
  @MethodSource("files")
  void rowsAreTheSame(Path file) throws IOException, MalformedSectionException {
    Elf elf = Elf.read(file);
    RuleTable rules = new RuleTable(elf.architecture);
    UnwindTable sframe = UnwindTables.open(elf.sframeOnly(), rules);
    UnwindTable derived = UnwindTables.open(elf.ehFrameOnly(), rules);
    assertEquals(UnwindSource.SFRAME_V3, sframe.source());
    assertEquals(UnwindSource.EH_FRAME, derived.source());
    SFrameSection section = SFrameSection.read(elf.sframe());
    SFrameFunction function = new SFrameFunction();
    SFrameRow row = new SFrameRow();
    List<String> differences = new ArrayList<>();
    int compared = 0;
    for (int i = 0; i < section.functionCount(); i++) {
      section.open(i, function);
      while (function.next(row)) {
        if (function.isMask() || row.start() >= function.size()) {
          continue;
        }
        long pc = function.start() + row.start();
        int a = sframe.find(pc);
        int b = derived.find(pc);
        compared++;
        if (!isSame(rules, a, b)) {
          differences.add(
              Long.toHexString(pc)
                  + ": "
                  + rules.describe(a)
                  + ", derived "
                  + (b < 0 ? "none" : rules.describe(b)));
        }
      }
    }
    assertEquals(List.of(), differences);
    assertTrue(compared > 20, compared + " rows");
  }

  /** Equal in what SFrame can say: CFA, RA, FP. */
  private static boolean isSame(RuleTable rules, int a, int b) {
    if (a == b) {
      return true;
    }
    if (a < 0 || b < 0 || rules.kind(a) != RuleTable.FRAME || rules.kind(b) != RuleTable.FRAME) {
      return false;
    }
    return rules.cfa(a) == rules.cfa(b)
        && rules.cfaAdd(a) == rules.cfaAdd(b)
        && rules.ra(a) == rules.ra(b)
        && rules.flags(a) == rules.flags(b)
        && rules.register(a, 0) == rules.register(b, 0);
  }
}
