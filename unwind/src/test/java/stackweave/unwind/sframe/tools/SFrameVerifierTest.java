package stackweave.unwind.sframe.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.unwind.Architecture;
import stackweave.unwind.Elf;
import stackweave.unwind.Location;
import stackweave.unwind.rule.RuleBuilder;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.section.MalformedSectionException.Reason;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.Corpus;
import stackweave.unwind.sframe.SFrameFault;
import stackweave.unwind.sframe.writer.SFrameWriter;

/** What GNU tools write has no fault; what the corpus calls malformed has one, where it is. */
class SFrameVerifierTest {

  @Test
  void sectionsOfTheToolsHaveNoFault() throws Exception {
    int verified = 0;
    List<String> faulty = new ArrayList<>();
    for (Path set : Corpus.list("", "*-v*")) {
      for (Path file : Corpus.list(set.getFileName().toString(), "*.elf")) {
        Elf elf = Elf.read(file);
        if (elf.type == 1) {
          continue; // relocatable: the functions have no addresses yet
        }
        List<SFrameFault> faults = SFrameVerifier.verify(elf.sframe());
        verified++;
        if (!faults.isEmpty()) {
          faulty.add(file + ": " + faults.get(0).text());
        }
      }
    }
    assertEquals(List.of(), faulty);
    long linked =
        Files.readAllLines(Corpus.directory().resolve("INDEX.tsv")).stream()
            .filter(line -> !line.startsWith("#") && !line.split("\t")[2].equals("REL"))
            .count();
    assertEquals(linked, verified);
  }

  static Stream<String> bad() throws Exception {
    return Files.readAllLines(Corpus.directory().resolve("bad/INDEX.tsv")).stream()
        .filter(line -> !line.startsWith("#") && !line.contains("\ttolerate"));
  }

  @ParameterizedTest
  @MethodSource("bad")
  void malformedSectionsHaveFaults(String line) throws Exception {
    Path file = Corpus.directory().resolve("bad").resolve(line.split("\t")[0]);
    byte[] bytes = Files.readAllBytes(file);
    List<SFrameFault> faults = SFrameVerifier.verify(new Section(ByteBuffer.wrap(bytes), 0));
    assertTrue(!faults.isEmpty());
    for (SFrameFault fault : faults) {
      assertTrue(fault.offset() >= 0 && fault.offset() <= bytes.length, fault.text());
    }
  }

  /**
   * Each fault is put into a sound section of three functions; all are told, none hides another.
   */
  @Test
  void eachFaultIsFoundWhereItIs() {
    ByteBuffer sound = threeFunctions();
    assertEquals(List.of(), verify(sound));

    ByteBuffer bytes = threeFunctions();
    bytes.putInt(12, 7); // rows of the header
    assertEquals(
        List.of("offset 0xc: header counts other rows than the functions have"), verify(bytes));

    bytes = threeFunctions();
    bytes.putInt(28 + 8, 0x30); // size of the first function: into the second
    assertEquals(
        List.of("offset 0x2c: function 1: function overlaps the one before it"), verify(bytes));

    bytes = threeFunctions();
    bytes.putInt(28 + 16 + 8, 1); // size of the second function, whose last row is at 4
    List<String> faults = verify(bytes);
    assertEquals(1, faults.size(), faults.toString());
    assertTrue(
        faults.get(0).endsWith("function 1: " + Reason.ROW_OUTSIDE.text()), faults.toString());

    bytes = threeFunctions();
    bytes.putLong(28 + 32, bytes.getLong(28) - 32 - 0x100); // the third begins below the first
    assertEquals(List.of("offset 0x3c: function 2: " + Reason.NOT_SORTED.text()), verify(bytes));

    bytes = threeFunctions();
    int rows = 28 + bytes.getInt(24);
    for (int fde : new int[] {28, 28 + 32}) {
      bytes.put(rows + bytes.getInt(fde + 12) + 2, (byte) 0x0f); // row type
    }
    assertEquals(
        List.of(
            "offset 0x1c: function 0: unknown FDE or row type",
            "offset 0x3c: function 2: unknown FDE or row type"),
        verify(bytes));

    bytes = threeFunctions();
    ByteBuffer longer = ByteBuffer.allocate(bytes.limit() + 40).order(ByteOrder.LITTLE_ENDIAN);
    longer.put(bytes).put((byte) 1).rewind();
    assertEquals(
        List.of("offset 0x" + Integer.toHexString(bytes.limit()) + ": no SFrame magic number"),
        verify(longer));
  }

  private static ByteBuffer threeFunctions() {
    RuleTable rules = new RuleTable(Architecture.X86_64);
    RuleBuilder builder = new RuleBuilder(Architecture.X86_64);
    int[] ids = new int[2];
    for (int i = 0; i < 2; i++) {
      builder.clear();
      builder.setCfa(Architecture.X86_64.sp(), 8 + 8 * i);
      builder.ra = Location.atCfa(-8);
      builder.forgetAllButFp();
      ids[i] = rules.intern(builder);
    }
    SFrameWriter writer = new SFrameWriter(rules, 3, ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < 3; i++) {
      writer.add(0x1000 + 0x20 * i, 0x20, new int[] {0, 4}, ids, 2);
    }
    return ByteBuffer.wrap(writer.write(0)).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static List<String> verify(ByteBuffer bytes) {
    return SFrameVerifier.verify(new Section(bytes, 0)).stream().map(SFrameFault::text).toList();
  }
}
