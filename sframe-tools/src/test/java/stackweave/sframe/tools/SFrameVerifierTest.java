package stackweave.sframe.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stackweave.unwind.sframe.RawSection.SP_BASE;
import static stackweave.unwind.sframe.RawSection.row;

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
import stackweave.sframe.writer.SFrameWriter;
import stackweave.unwind.Architecture;
import stackweave.unwind.Elf;
import stackweave.unwind.Location;
import stackweave.unwind.rule.RuleBuilder;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.section.MalformedSectionException.Reason;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.Corpus;
import stackweave.unwind.sframe.RawSection;
import stackweave.unwind.sframe.SFrameFault;
import stackweave.unwind.sframe.SFrameFunction;
import stackweave.unwind.sframe.SFrameRow;
import stackweave.unwind.sframe.SFrameSection;

/** What GNU tools write has no fault; what the corpus calls malformed has one, where it is. */
class SFrameVerifierTest {

  @Test
  void sectionsOfTheToolsHaveNoFault() throws Exception {
    int verified = 0;
    List<String> faulty = new ArrayList<>();
    for (Path set : Corpus.sets()) {
      for (Path file : Corpus.elfFiles(set)) {
        Elf elf = Elf.read(file);
        if (elf.type == 1) {
          continue; // relocatable: the functions have no addresses yet
        }
        verified++;
        if (elf.sframe() == null) {
          continue;
        }
        List<SFrameFault> faults = SFrameVerifier.verify(elf.sframe());
        if (!faults.isEmpty()) {
          faulty.add(file + ": " + faults.get(0).text());
        }
      }
    }
    assertEquals(List.of(), faulty);
    List<String> index = Corpus.index(Corpus.directory().resolve("INDEX.tsv"));
    if (!index.isEmpty()) { // another corpus need not have one
      assertEquals(
          index.stream().filter(line -> !line.split("\t")[2].equals("REL")).count(), verified);
    }
  }

  static Stream<String> bad() throws Exception {
    return Corpus.index(Corpus.directory().resolve("bad/INDEX.tsv")).stream()
        .filter(line -> !line.contains("\ttolerate"));
  }

  @ParameterizedTest(allowZeroInvocations = true)
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

  private static final byte[] ROW = row(0, SP_BASE, 8);

  private static List<String> verify(RawSection section) {
    return verify(ByteBuffer.wrap(section.bytes()));
  }

  private static RawSection x86(int info, int info2, byte[]... rows) {
    return RawSection.x86(3).function(0x1000, 16, info, info2, rows);
  }

  /** A section with one function of one row: header 28, FDE at 0x1c, attribute at 0x2c. */
  @Test
  void soundSectionOfAnyArchitectureHasNoFault() {
    assertEquals(List.of(), verify(x86(0, 0, ROW)));
    assertEquals(List.of(), verify(RawSection.x86(2).function(0x1000, 16, 0, 0, ROW)));
    assertEquals(List.of(), verify(RawSection.x86(1).flags(1).function(0x1000, 16, 0, 0, ROW)));
    assertEquals(
        List.of(),
        verify(
            RawSection.aarch64(3)
                .function(0x1000, 16, RawSection.KEY_B, 0, row(0, SP_BASE | 0x80, 0, -8, -16))));
    assertEquals(
        List.of(),
        verify(new RawSection(3, 4, ByteOrder.BIG_ENDIAN).function(0x1000, 16, 0, 0, ROW)));
  }

  @Test
  void byteOrderContradictsTheAbi() {
    List<String> expected = List.of("offset 0x4: " + Reason.WRONG_BYTE_ORDER.text());
    for (int abi : new int[] {1, 4}) {
      RawSection section = new RawSection(3, abi, ByteOrder.LITTLE_ENDIAN);
      assertEquals(expected, verify(section.function(0x1000, 16, 0, 0, ROW)));
    }
    for (int abi : new int[] {2, 3}) {
      RawSection section = new RawSection(3, abi, ByteOrder.BIG_ENDIAN).fixed(0, -8);
      assertEquals(expected, verify(section.function(0x1000, 16, 0, 0, ROW)));
    }
  }

  @Test
  void gapsAreBytesOfNoStructure() throws Exception {
    // Between functions and rows, by the corpus; and within the rows.
    Path file = Corpus.builtIn().resolve("bad/43-fre-gap.sframe");
    List<String> faults = verify(ByteBuffer.wrap(Files.readAllBytes(file)));
    assertTrue(faults.get(0).endsWith(": " + Reason.GAP.text()), faults.toString());

    byte[] rows = RawSection.x86(3).function(0x1000, 16, 0, 0, ROW, row(4, SP_BASE, 16)).bytes();
    ByteBuffer bytes = ByteBuffer.wrap(rows).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putShort(0x2c, (short) 1).putInt(12, 1); // the second row belongs to nothing
    assertEquals(List.of("offset 0x34: " + Reason.GAP.text()), verify(bytes));
  }

  /** Header 28, two functions of 16 each, then two rows of 5 + 3 each. */
  @Test
  void gapsAreFoundInAllPlaces() {
    RawSection two =
        RawSection.x86(3).function(0x1000, 16, 0, 0, ROW).function(0x1010, 16, 0, 0, ROW);
    ByteBuffer sound = ByteBuffer.wrap(two.bytes()).order(ByteOrder.LITTLE_ENDIAN);
    assertEquals(List.of(), verify(sound));

    ByteBuffer bytes = withGap(sound, 28); // behind the header
    bytes.putInt(20, 4).putInt(24, 32 + 4);
    assertEquals(List.of("offset 0x1c: " + Reason.GAP.text()), verify(bytes));

    bytes = withGap(sound, 28 + 32); // behind the functions
    bytes.putInt(24, 32 + 4);
    assertEquals(List.of("offset 0x3c: " + Reason.GAP.text()), verify(bytes));

    bytes = withGap(sound, 28 + 32 + 8); // between the functions' rows
    bytes.putInt(16, 16 + 4).putInt(28 + 16 + 12, 8 + 4);
    assertEquals(List.of("offset 0x44: " + Reason.GAP.text()), verify(bytes));

    bytes = withGap(sound, 28 + 32 + 16); // behind the rows, and counted as theirs
    bytes.putInt(16, 16 + 4);
    assertEquals(List.of("offset 0x4c: " + Reason.GAP.text()), verify(bytes));

    byte[] rowsFirst = new byte[sound.limit()];
    sound.get(0, rowsFirst, 0, 28).get(28 + 32, rowsFirst, 28, 16).get(28, rowsFirst, 44, 32);
    bytes = ByteBuffer.wrap(rowsFirst).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(20, 16).putInt(24, 0);
    assertEquals(List.of(), verify(bytes));
    bytes = withGap(bytes, 44);
    bytes.putInt(20, 16 + 4);
    assertEquals(List.of("offset 0x2c: " + Reason.GAP.text()), verify(bytes));
  }

  /** The section with 4 more bytes at an offset. */
  private static ByteBuffer withGap(ByteBuffer section, int at) {
    ByteBuffer bytes = ByteBuffer.allocate(section.limit() + 4).order(section.order());
    return bytes.put(0, section, 0, at).put(at + 4, section, at, section.limit() - at);
  }

  @Test
  void reservedBitsAreSet() {
    List<String> function = List.of("offset 0x1c: function 0: " + Reason.RESERVED_BITS.text());
    assertEquals(function, verify(x86(0x40, 0, ROW)));
    assertEquals(function, verify(x86(0, 0x20, ROW)));
    assertEquals(function, verify(x86(RawSection.KEY_B, 0, ROW)));
    assertEquals(
        function, verify(RawSection.x86(2).function(0x1000, 16, RawSection.SIGNAL, 0, ROW)));
    ByteBuffer padding = ByteBuffer.wrap(RawSection.x86(2).function(0x1000, 16, 0, 0, ROW).bytes());
    assertEquals(function, verify(padding.put(0x1c + 19, (byte) 1)));
    RawSection v1 = RawSection.x86(1).flags(1);
    assertEquals(function, verify(v1.function(0x1000, 16, 0x40, 0, ROW)));
    List<String> row = List.of("offset 0x32: function 0: " + Reason.RESERVED_BITS.text());
    assertEquals(row, verify(x86(0, 0, row(0, SP_BASE | RawSection.MANGLED, 8))));
    int sp = 7 << 3 | 1;
    assertEquals(row, verify(x86(0, RawSection.FLEX, row(0, SP_BASE, sp | 4, 8))));
    assertEquals(row, verify(x86(0, RawSection.FLEX, row(0, SP_BASE, sp, 8, 2 | 4, -8))));
    assertEquals(row, verify(x86(0, RawSection.FLEX, row(0, SP_BASE, sp, 8, 0, 2 | 4, -16))));
  }

  @Test
  void amd64HasAFixedReturnAddress() {
    assertEquals(
        List.of("offset 0x6: " + Reason.NO_FIXED_RA.text()),
        verify(RawSection.x86(3).fixed(0, 0).function(0x1000, 16, 0, 0, row(0, SP_BASE, 8, -8))));
  }

  @Test
  void rowsHaveNoMoreWordsThanTheyCanUse() {
    List<String> expected = List.of("offset 0x32: function 0: " + Reason.TOO_MANY_WORDS.text());
    assertEquals(expected, verify(x86(0, 0, row(0, SP_BASE, new int[15]))));
    assertEquals(expected, verify(x86(0, 0, row(0, SP_BASE, 16, -16, -8))));
    int sp = 7 << 3 | 1;
    assertEquals(List.of(), verify(x86(0, 1, row(0, SP_BASE, sp, 8, 2, -8, 2, -16))));
    assertEquals(expected, verify(x86(0, 1, row(0, SP_BASE, sp, 8, 2, -8, 2, -16, 0))));
    assertEquals(List.of(), verify(x86(0, 1, row(0, SP_BASE, sp, 8, 0, 0))));
    assertEquals(expected, verify(x86(0, 1, row(0, SP_BASE, sp, 8, 0, 0, 0))));
  }

  @Test
  void startsAreTheirOwn() {
    assertEquals(
        List.of("offset 0x2c: function 1: " + Reason.DUPLICATE_START.text()),
        verify(RawSection.x86(3).function(0x1000, 16, 0, 0, ROW).function(0x1000, 16, 0, 0, ROW)));
    assertEquals(
        List.of("offset 0x35: function 0: " + Reason.DUPLICATE_ROW.text()),
        verify(x86(0, 0, ROW, row(0, SP_BASE, 16))));
  }

  @Test
  void firstRowStartsWithItsFunction() {
    assertEquals(
        List.of("offset 0x32: function 0: " + Reason.LATE_FIRST_ROW.text()),
        verify(x86(0, 0, row(4, SP_BASE, 16))));
  }

  @Test
  void flexibleFunctionsHaveRows() {
    assertEquals(List.of(), verify(x86(0, 0)));
    assertEquals(
        List.of("offset 0x1c: function 0: " + Reason.FLEX_WITHOUT_ROWS.text()),
        verify(x86(0, RawSection.FLEX)));
  }

  /** Its words make no sense, its length is known: the rows behind it are read. */
  @Test
  void flexibleRowWithoutMeaningHidesNothing() throws Exception {
    int sp = 7 << 3 | 1;
    byte[] noBase = row(0, SP_BASE, 2, 8); // no register for the CFA
    byte[] good = row(4, SP_BASE, sp, 16);
    byte[] tooLong = row(20, SP_BASE, sp, 16);
    RawSection section = x86(0, RawSection.FLEX, noBase, good, tooLong);
    assertEquals(
        List.of(
            "offset 0x32: function 0: " + Reason.BAD_ROW.text(),
            "offset 0x3a: function 0: " + Reason.ROW_OUTSIDE.text()),
        verify(section));
    StringBuilder text = new StringBuilder();
    assertEquals(1, SFrameText.write(SFrameSection.read(section.section()), text).size());
    assertEquals(
        List.of("0\t1000\t16\t1004\tsp+16\tu\tf\tflex", "0\t1000\t16\t1014\tsp+16\tu\tf\tflex"),
        text.toString().lines().skip(1).toList());
    StringBuilder listing = new StringBuilder();
    assertEquals(1, SFrameListing.write(SFrameSection.read(section.section()), listing).size());
    assertTrue(listing.toString().contains("1014  cfa sp+16"), listing.toString());
    assertEquals(2, SFrameStatistics.of(SFrameSection.read(section.section())).rows());
    assertEquals(1, SFrameStatistics.of(SFrameSection.read(section.section())).malformed());
    SFrameRow row = new SFrameRow();
    assertTrue(
        SFrameSection.read(section.section()).find(0x1004, new SFrameFunction(), row), "no row");
    assertEquals(16, row.cfaOffset());
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
