package stackweave.unwind.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import stackweave.unwind.Architecture;
import stackweave.unwind.Elf;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.Unsupported;
import stackweave.unwind.rule.UnwindSource;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.Corpus;
import stackweave.unwind.sframe.SFrameFunction;
import stackweave.unwind.sframe.SFrameSection;

/** Which section a module is unwound by, and what is said of the others. */
class UnwindTablesTest {
  private final Elf elf = read();
  private final UnwindSections sections = elf.unwindSections();
  private final RuleTable rules = new RuleTable(Architecture.X86_64);

  private static Elf read() {
    try {
      return Elf.read(Corpus.builtIn().resolve("live/x86_64-O2-nofp/prog-v2e.elf"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private UnwindTable open(Section sframe, Section hdr, Section ehFrame) {
    return UnwindTables.open(
        new UnwindSections(sframe, hdr, ehFrame, null, Architecture.X86_64), rules);
  }

  private static Section changed(Section section, int at, int value) {
    ByteBuffer copy = ByteBuffer.allocate(section.bytes().limit());
    copy.put(section.bytes().duplicate()).flip();
    copy.put(at, (byte) value);
    return new Section(copy, section.address());
  }

  @Test
  void sframeComesFirst() {
    UnwindTable table = UnwindTables.open(sections, rules);
    assertEquals(UnwindSource.SFRAME_V2, table.source());
    assertEquals("", table.why());
    assertTrue(table.functionCount() > 10);
  }

  @Test
  void addressesWithoutSframeRowsAreAskedOfEhFrame() {
    UnwindTable table = UnwindTables.open(sections, rules);
    UnwindTable sframe = UnwindTables.open(elf.sframeOnly(), rules);
    long start = elf.header(".text").address(); // _start: V2 assemblers write no row for it
    assertEquals(UnwindTable.NO_RULE, sframe.find(start));
    assertEquals(RuleTable.OUTERMOST_RULE, table.find(start));
    assertEquals(1, table.fallbackCount());
  }

  @Test
  void malformedSframeCountsAsMissing() {
    UnwindTable table =
        open(changed(sections.sframe(), 2, 9), sections.ehFrameHdr(), sections.ehFrame());
    assertEquals(UnwindSource.EH_FRAME, table.source());
    assertEquals(".sframe: unknown version at offset 0x2", table.why());
  }

  @Test
  void sframeOfAnotherArchitectureCountsAsMissing() {
    UnwindTable table =
        open(changed(sections.sframe(), 4, 2), sections.ehFrameHdr(), sections.ehFrame());
    assertEquals(UnwindSource.EH_FRAME, table.source());
    assertEquals(".sframe of another architecture", table.why());
  }

  @Test
  void emptySframeSaysNothing() {
    Section empty = new Section(ByteBuffer.allocate(0), 0);
    UnwindTable table = open(empty, null, sections.ehFrame());
    assertEquals(UnwindSource.EH_FRAME, table.source());
    assertEquals("no function in .sframe", table.why());
  }

  @Test
  void brokenHdrIsReplacedByAnIndex() {
    Section ehFrame = sections.ehFrame();
    Section broken = new Section(ByteBuffer.wrap(new byte[] {9, 0x1b, 3, 0x3b}), 0x1000);
    UnwindTable table = open(null, broken, ehFrame);
    UnwindTable plain = open(null, null, ehFrame);
    assertEquals("no .sframe; .eh_frame_hdr: unknown version at offset 0x0", table.why());
    assertEquals(plain.functionCount(), table.functionCount());
    long pc = elf.header(".text").address() + 0x20;
    assertEquals(plain.find(pc), table.find(pc));
  }

  @Test
  void nothingAtAllFindsNothing() {
    UnwindTable table = UnwindTables.open(UnwindSections.none(Architecture.X86_64), rules);
    assertEquals(UnwindSource.NONE, table.source());
    assertEquals("no .sframe; no .eh_frame", table.why());
    assertEquals(UnwindTable.NO_RULE, table.find(0x401000));
  }

  @Test
  void rulesOfAnotherArchitectureAreAProgrammingError() {
    RuleTable other = new RuleTable(Architecture.AARCH64);
    assertThrows(IllegalArgumentException.class, () -> UnwindTables.open(sections, other));
  }

  @Test
  void aBadFunctionDoesNotCostItsNeighbours() throws Exception {
    SFrameSection good = SFrameSection.read(sections.sframe());
    SFrameFunction function = new SFrameFunction();
    good.open(3, function);
    long third = function.start();
    good.open(4, function);
    // The row type of function 3: none has number 15.
    int info = 28 + 3 * 20 + 16;
    UnwindTable table = open(changed(sections.sframe(), info, 15), null, null);
    assertEquals(Unsupported.MALFORMED, rules.unsupported(table.find(third)));
    assertEquals(null, rules.unsupported(table.find(function.start())));
  }

  @Test
  void aRuleInWordsIsTheSameRuleInAnotherTable() {
    UnwindTable table = UnwindTables.open(sections, rules);
    Section text = elf.section(".text");
    RuleTable others = new RuleTable(Architecture.X86_64);
    int rulesSeen = 0;
    for (long address = text.address();
        address < text.address() + text.bytes().limit();
        address++) {
      int rule = table.find(address);
      if (rule >= 0) {
        rulesSeen++;
        assertEquals(rules.describe(rule), others.describe(others.intern(rules.words(rule))));
      }
    }
    assertTrue(rulesSeen > 100);
  }

  @Test
  void wordsThatAreNoRuleAreRefused() {
    int rule = UnwindTables.open(sections, rules).find(elf.section(".text").address() + 0x100);
    long[] good = rules.words(rule);
    for (int word = 0; word < good.length; word++) {
      for (long bad : new long[] {-1, Long.MIN_VALUE, 0x7_0000_0000L << 8, 0xff}) {
        long[] words = good.clone();
        words[word] = bad;
        assertThrows(IllegalArgumentException.class, () -> rules.intern(words));
      }
    }
    assertThrows(IllegalArgumentException.class, () -> rules.intern(new long[2]));
  }
}
