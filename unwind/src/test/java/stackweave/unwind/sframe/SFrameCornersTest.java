package stackweave.unwind.sframe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stackweave.unwind.sframe.RawSection.FLEX;
import static stackweave.unwind.sframe.RawSection.MANGLED;
import static stackweave.unwind.sframe.RawSection.SIGNAL;
import static stackweave.unwind.sframe.RawSection.SP_BASE;
import static stackweave.unwind.sframe.RawSection.row;
import static stackweave.unwind.sframe.RawSection.wideRow;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;
import stackweave.unwind.Architecture;
import stackweave.unwind.Location;
import stackweave.unwind.rule.RuleBuilder;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.section.Section;
import stackweave.unwind.table.UnwindSections;
import stackweave.unwind.table.UnwindTables;

/** What rows mean where the rules of the format meet. */
class SFrameCornersTest {
  private static final int SP = 7 << 3 | 1;
  private static final int DEREF = 2;

  private static String rule(RawSection section, Architecture architecture, long address) {
    RuleTable rules = new RuleTable(architecture);
    UnwindTable table =
        UnwindTables.open(
            new UnwindSections(section.section(), null, null, null, architecture), rules);
    return rules.describe(table.find(address)).replaceAll(" r\\d+=lost", "");
  }

  private static String x86(RawSection section) {
    return rule(section, Architecture.X86_64, 0x1000);
  }

  private static RawSection one(RawSection section, int info, int info2, byte[]... rows) {
    return section.function(0x1000, 16, info, info2, rows);
  }

  @Test
  void explicitFlexiblePairIsNotOverriddenByTheFixedOffset() {
    byte[] withPair = row(0, SP_BASE, SP, 16, 0, 6 << 3 | DEREF | 1, 8);
    assertEquals(
        "cfa=r7+16 ra=c-8 r6=*(r6+8)",
        x86(one(RawSection.x86(3).fixed(-16, -8), 0, FLEX, withPair)));

    byte[] without = row(0, SP_BASE, SP, 16);
    assertEquals(
        "cfa=r7+16 ra=c-8 r6=c-16", x86(one(RawSection.x86(3).fixed(-16, -8), 0, FLEX, without)));

    byte[] padded = row(0, SP_BASE, SP, 16, 0, 0);
    assertEquals(
        "cfa=r7+16 ra=c-8 r6=c-16", x86(one(RawSection.x86(3).fixed(-16, -8), 0, FLEX, padded)));

    byte[] plain = row(0, SP_BASE, 16, -24);
    assertEquals(
        "cfa=r7+16 ra=c-8 r6=c-16", x86(one(RawSection.x86(3).fixed(-16, -8), 0, 0, plain)));
  }

  @Test
  void mangledBitMeansNothingOffAarch64() throws Exception {
    byte[] row = row(0, SP_BASE | MANGLED, 16, -8);
    assertEquals("cfa=r7+16 ra=c-8 r6=c-8", x86(one(RawSection.x86(3), 0, 0, row)));
    assertEquals("cfa=r15+288 ra=c-8", rule(one(s390x(), 0, 0, row), Architecture.S390X, 0x1000));
    assertEquals(
        "cfa=r31+16 ra=c-8 mangled",
        rule(one(RawSection.aarch64(3), 0, 0, row), Architecture.AARCH64, 0x1000));

    SFrameSection section = SFrameSection.read(one(RawSection.x86(3), 0, 0, row).section());
    SFrameFunction function = new SFrameFunction();
    SFrameRow read = new SFrameRow();
    assertTrue(section.find(0x1000, function, read));
    assertFalse(read.isMangled());

    // Nor in what comes from elsewhere, as a writer's own rules do.
    for (Architecture architecture : Architecture.values()) {
      RuleTable rules = new RuleTable(architecture);
      RuleBuilder rule = new RuleBuilder(architecture);
      rule.setCfa(architecture.sp(), 16);
      rule.ra = Location.atCfa(-8);
      rule.mangled = true;
      String text = rules.describe(rules.intern(rule));
      assertEquals(architecture == Architecture.AARCH64, text.endsWith(" mangled"), text);
    }
  }

  @Test
  void keyBitMeansNothingOffAarch64() throws Exception {
    byte[] row = row(0, SP_BASE, 16, -8);
    for (RawSection section : List.of(RawSection.x86(3), s390x(), RawSection.aarch64(3))) {
      SFrameSection read = SFrameSection.read(one(section, RawSection.KEY_B, 0, row).section());
      SFrameFunction function = new SFrameFunction();
      read.open(0, function);
      assertEquals(read.architecture() == Architecture.AARCH64, function.isKeyB());
    }
  }

  @Test
  void signalRowsAreAppliedAsTheySay() {
    assertEquals(
        "cfa=r7+64 ra=c-8 r6=c-16 signal",
        x86(one(RawSection.x86(3), SIGNAL, 0, row(0, SP_BASE, 64, -16))));
    // CFA = *(sp + 64), RA = *(sp + 72): a frame with a context of its own.
    byte[] own = row(0, SP_BASE, SP | DEREF, 64, SP | DEREF, 72);
    assertEquals("cfa=*(r7+64) ra=*(r7+72) signal", x86(one(RawSection.x86(3), SIGNAL, FLEX, own)));
    byte[] record = row(0, SP_BASE, 48, -8, -16);
    assertEquals(
        "cfa=r31+48 ra=c-8 r29=c-16 signal",
        rule(one(RawSection.aarch64(3), SIGNAL, 0, record), Architecture.AARCH64, 0x1000));
    assertEquals(
        "cfa=r15+416 ra=c-80 signal",
        rule(one(s390x(), SIGNAL, 0, row(0, SP_BASE, 32, -80)), Architecture.S390X, 0x1000));
  }

  private static RawSection s390x() {
    return new RawSection(3, 4, ByteOrder.BIG_ENDIAN);
  }

  @Test
  void kernelSignalFrameIsRecognised() {
    // CFA = *(sp + 160), RA = *(sp + 168), FP = *(sp + 120).
    int control = SP | DEREF;
    byte[] kernel =
        wideRow(ByteOrder.LITTLE_ENDIAN, 0, SP_BASE, control, 160, control, 168, control, 120);
    assertEquals("kernel signal frame", x86(one(RawSection.x86(3), SIGNAL, FLEX, kernel)));
    assertEquals(
        "cfa=*(r7+160) ra=*(r7+168) r6=*(r7+120)", x86(one(RawSection.x86(3), 0, FLEX, kernel)));
    assertEquals("kernel signal frame", x86(one(RawSection.x86(3), SIGNAL, 0)));
    byte[] vdso = row(0, 0, 0, 8, 0);
    assertEquals(
        "kernel signal frame",
        rule(one(RawSection.aarch64(3), SIGNAL, 0, vdso), Architecture.AARCH64, 0x1000));
    // RA = *(CFA - 4120) = *(sp + 568), where the ucontext has the pc; on s390x, sp + 344.
    byte[] aarch64 = wideRow(ByteOrder.LITTLE_ENDIAN, 0, SP_BASE, 4688, -4120);
    assertEquals(
        "kernel signal frame",
        rule(one(RawSection.aarch64(3), SIGNAL, 0, aarch64), Architecture.AARCH64, 0x1000));
    byte[] s390x = row(0, SP_BASE, (416 - 160) / 8, 344 - 416);
    assertEquals(
        "kernel signal frame", rule(one(s390x(), SIGNAL, 0, s390x), Architecture.S390X, 0x1000));
  }

  @Test
  void trampolinesAreJudgedByTheVersionOfTheirElement() {
    byte[] row = row(0, SP_BASE, 8);
    byte[] v2 = one(RawSection.x86(2), 0, 0, row).bytes();
    byte[] v3 = RawSection.x86(3).function(0x2000 - v2.length, 16, 0, 0, row).bytes();
    for (boolean v2First : new boolean[] {true, false}) {
      ByteArrayOutputStream both = new ByteArrayOutputStream();
      both.writeBytes(v2First ? v2 : v3);
      both.writeBytes(v2First ? v3 : v2);
      int second = v2First ? v2.length : v3.length;
      long atV2 = 0x1000 + (v2First ? 0 : second);
      long atV3 = 0x2000 - v2.length + (v2First ? second : 0);
      RuleTable rules = new RuleTable(Architecture.X86_64);
      UnwindTable table =
          UnwindTables.open(
              new UnwindSections(
                  new Section(ByteBuffer.wrap(both.toByteArray()), 0),
                  null,
                  null,
                  null,
                  Architecture.X86_64),
              rules);
      assertEquals("cfa=r7+8 ra=c-8", describe(rules, table.find(atV2)));
      assertEquals("cfa=r7+8 ra=c-8", describe(rules, table.find(atV3)));
      assertFalse(table.marksSignalFrames(atV2), "V2 first: " + v2First);
      assertTrue(table.marksSignalFrames(atV3), "V2 first: " + v2First);
    }
  }

  private static String describe(RuleTable rules, int rule) {
    return rules.describe(rule).replaceAll(" r\\d+=lost", "");
  }

  @Test
  void flexibleFunctionWithoutRowsIsNoOutermostFrame() {
    assertEquals("outermost", x86(one(RawSection.x86(3), 0, 0)));
    assertEquals("unsupported: malformed", x86(one(RawSection.x86(3), 0, FLEX)));
  }

  @Test
  void allSectionsOfAnImageAreRead() throws Exception {
    byte[] row = row(0, SP_BASE, 8);
    Section first = one(RawSection.x86(3), 0, 0, row).section();
    Section broken = new Section(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0x5000);
    byte[] third = RawSection.x86(2).function(0x2000, 16, 0, 0, row).bytes();
    UnwindSections sections =
        UnwindSections.none(Architecture.X86_64)
            .withSFrame(List.of(first, broken, new Section(ByteBuffer.wrap(third), 0x7000)));
    RuleTable rules = new RuleTable(Architecture.X86_64);
    UnwindTable table = UnwindTables.open(sections, rules);
    assertEquals(2, table.functionCount());
    assertEquals("cfa=r7+8 ra=c-8", describe(rules, table.find(0x1000)));
    assertEquals("cfa=r7+8 ra=c-8", describe(rules, table.find(0x9000)));
    assertEquals(
        ".sframe: structure reaches beyond its end at offset 0x0, used up to there; no .eh_frame",
        table.why());
    assertEquals(
        first.bytes().limit() + third.length, SFrameSection.read(sections.allSFrame()).size());
  }

  @Test
  void noRuleIsDescribed() {
    assertEquals("no rule", new RuleTable(Architecture.X86_64).describe(UnwindTable.NO_RULE));
  }
}
