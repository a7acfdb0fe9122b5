package stackweave.sframe.writer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import stackweave.sframe.tools.SFrameText;
import stackweave.sframe.tools.SFrameVerifier;
import stackweave.unwind.Architecture;
import stackweave.unwind.Location;
import stackweave.unwind.rule.RuleBuilder;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.SFrameSection;

/** Marks of functions: each is written where it means something. */
class SFrameWriterTest {

  /** Rows of one function, of the architecture's ordinary frame: without number and addresses. */
  private static List<String> written(Architecture architecture, boolean signal, boolean keyB)
      throws Exception {
    RuleTable rules = new RuleTable(architecture);
    RuleBuilder rule = new RuleBuilder(architecture);
    rule.setCfa(architecture.sp(), 16 + architecture.spBelowCfa());
    rule.ra = Location.atCfa(-8);
    int plain = rules.intern(rule);
    rule.signal = signal;
    int marked = rules.intern(rule);
    SFrameWriter writer = new SFrameWriter(rules, 3, architecture.byteOrder());
    int[] offsets = {0, 4};
    assertNull(writer.add(0x1000, 16, keyB, offsets, new int[] {plain, marked}, 2));
    Section section = new Section(ByteBuffer.wrap(writer.write(0)), 0);
    assertEquals(List.of(), SFrameVerifier.verify(section));
    StringBuilder text = new StringBuilder();
    SFrameText.write(SFrameSection.read(section), text);
    return text.toString()
        .lines()
        .skip(1)
        .map(line -> line.split("\t"))
        .map(c -> c[3] + " " + c[7])
        .toList();
  }

  /** A function of its own, for the mark is the function's; of equal rows, one is enough. */
  @Test
  void signalRowsKeepTheirMark() throws Exception {
    for (Architecture architecture : Architecture.values()) {
      assertEquals(List.of("1000 -", "1004 signal"), written(architecture, true, false));
      assertEquals(List.of("1000 -"), written(architecture, false, false));
    }
  }

  @Test
  void keyIsWrittenForAarch64Only() throws Exception {
    assertEquals(List.of("1000 keyB"), written(Architecture.AARCH64, false, true));
    assertEquals(List.of("1000 -"), written(Architecture.X86_64, false, true));
    assertEquals(List.of("1000 -"), written(Architecture.S390X, false, true));
  }
}
