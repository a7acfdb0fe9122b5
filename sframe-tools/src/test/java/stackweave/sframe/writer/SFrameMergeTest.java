package stackweave.sframe.writer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static stackweave.unwind.sframe.RawSection.SP_BASE;
import static stackweave.unwind.sframe.RawSection.row;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.sframe.tools.SFrameText;
import stackweave.sframe.tools.SFrameVerifier;
import stackweave.unwind.Elf;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.MalformedSectionException.Reason;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.Corpus;
import stackweave.unwind.sframe.RawSection;
import stackweave.unwind.sframe.SFrameFunction;
import stackweave.unwind.sframe.SFrameRow;
import stackweave.unwind.sframe.SFrameSection;

/** Sections of any version become one of version 3 that says the same. */
class SFrameMergeTest {
  private static final long ADDRESS = 0x70_0000;

  private static SFrameSection merge(SFrameSection... sections) throws Exception {
    SFrameMerge merge = new SFrameMerge();
    for (SFrameSection section : sections) {
      merge.add(section);
    }
    byte[] bytes = merge.write(ADDRESS);
    SFrameSection merged = SFrameSection.read(new Section(ByteBuffer.wrap(bytes), ADDRESS));
    assertEquals(1, merged.elements().size());
    assertEquals(3, merged.version());
    assertEquals(merge.functionCount(), merged.functionCount());
    return merged;
  }

  /** Rows without the number of their function; as flexible ones, where they had to become such. */
  private static List<String> lines(SFrameSection section) throws Exception {
    StringBuilder text = new StringBuilder();
    assertEquals(List.of(), SFrameText.write(section, text));
    return text.toString().lines().skip(1).map(SFrameMergeTest::withoutNumber).toList();
  }

  private static String withoutNumber(String line) {
    return line.substring(line.indexOf('\t') + 1)
        .replaceAll(",?flex", "")
        .replaceAll("\t$", "\t-")
        .replaceAll("(r\\d+)\\+0", "$1");
  }

  static Stream<Path> linked() throws Exception {
    List<Path> files = new ArrayList<>();
    for (Path set : Corpus.sets()) {
      files.addAll(Corpus.elfFiles(set));
    }
    for (Path directory : Corpus.list("live", "*")) {
      files.addAll(Corpus.list(directory, "*-v*.{elf,so}"));
    }
    List<Path> linked = new ArrayList<>();
    for (Path file : files) {
      Elf elf = Elf.read(file);
      if (elf.type != 1 && elf.sframe() != null && elf.sframe().bytes().limit() > 0) {
        linked.add(file);
      }
    }
    return linked.stream();
  }

  @ParameterizedTest(allowZeroInvocations = true)
  @MethodSource("linked")
  void upgradeSaysTheSame(Path file) throws Exception {
    SFrameSection old = SFrameSection.read(Elf.read(file).sframe());
    SFrameSection upgraded = merge(old);
    List<String> expected =
        lines(old).stream()
            .filter(line -> old.version() == 3 || !line.contains("norows"))
            .sorted()
            .toList();
    assertEquals(expected, lines(upgraded).stream().sorted().toList());
    assertTrue(upgraded.isSearchedInPlace());
  }

  /** What binutils 2.47 writes for the same source has all rows that 2.45's has as version 3. */
  @ParameterizedTest(allowZeroInvocations = true)
  @MethodSource("linked")
  void upgradedRowsAreThoseOfTheNewerTools(Path file) throws Exception {
    String name = file.toString();
    if (!name.contains("-v2e/")) {
      return;
    }
    Path newer = Path.of(name.replace("-v2e/", "-v3/").replace(".elf", ".tsv"));
    if (!Files.exists(newer)) {
      return;
    }
    Set<String> theirs = new HashSet<>();
    Files.readAllLines(newer).forEach(line -> theirs.add(withoutNumber(line)));
    List<String> upgraded = lines(merge(SFrameSection.read(Elf.read(file).sframe())));
    List<String> missing = upgraded.stream().filter(line -> !theirs.contains(line)).toList();
    assertEquals(List.of(), missing);
  }

  /**
   * What objdump reads from an upgraded section is what we read, and what it reads from its source.
   */
  @ParameterizedTest(allowZeroInvocations = true)
  @MethodSource("linked")
  void objdumpReadsUpgradedSections(Path file) throws Exception {
    assumeTrue(Objdump.reads(3), Objdump.PROGRAM + " does not read SFrame V3");
    Section old = Elf.read(file).sframe();
    SFrameMerge merge = new SFrameMerge();
    merge.add(SFrameSection.read(old));
    List<String> theirs = assertReadAlike(merge.write(ADDRESS));
    assertEquals(merge.rowCount(), theirs.stream().filter(line -> !line.endsWith(" -")).count());
    assertEquals(
        source(old, old.address()).sorted().toList(),
        theirs.stream().map(SFrameMergeTest::plain).sorted().toList());
  }

  static Stream<String> abis() throws Exception {
    return linked().map(SFrameMergeTest::abi).distinct();
  }

  /** What the name of a file's directory begins with. */
  private static String abi(Path file) {
    String directory = file.getParent().getFileName().toString();
    return directory.substring(0, directory.indexOf('-'));
  }

  /** All sections of an ABI, of whatever versions, moved apart and made one. */
  @ParameterizedTest(allowZeroInvocations = true)
  @MethodSource("abis")
  void objdumpReadsMergedSections(String abi) throws Exception {
    assumeTrue(Objdump.reads(3), Objdump.PROGRAM + " does not read SFrame V3");
    SFrameMerge merge = new SFrameMerge();
    List<String> expected = new ArrayList<>();
    long address = 0;
    for (Path file : linked().filter(f -> abi(f).equals(abi)).toList()) {
      address += 0x1000_0000;
      Section section = new Section(Elf.read(file).sframe().bytes(), address);
      merge.add(SFrameSection.read(section));
      source(section, address).forEach(expected::add);
    }
    List<String> theirs = assertReadAlike(merge.write(ADDRESS));
    assertEquals(
        expected.stream().sorted().toList(),
        theirs.stream().map(SFrameMergeTest::plain).sorted().toList());
  }

  /** The rows of a section, as objdump reads it and as we do. */
  private static List<String> assertReadAlike(byte[] section) throws Exception {
    List<String> theirs = Objdump.rows(section, ADDRESS);
    assertEquals(theirs, Objdump.rows(new Section(ByteBuffer.wrap(section), ADDRESS)));
    return theirs;
  }

  /**
   * The rows of a section that is to be merged, as objdump reads it; version 1, which it does not
   * read any more, as we do, which the corpus test compares with an older objdump.
   */
  private static Stream<String> source(Section section, long address) throws Exception {
    SFrameSection read = SFrameSection.read(section);
    byte[] bytes = new byte[section.bytes().limit()];
    section.bytes().duplicate().get(0, bytes);
    List<String> rows =
        Objdump.reads(read.version()) ? Objdump.rows(bytes, address) : Objdump.rows(section);
    return rows.stream()
        .filter(line -> read.version() == 3 || !line.endsWith(" -"))
        .map(SFrameMergeTest::plain);
  }

  /** A line of objdump's where rows that had to become flexible look as they did before. */
  private static String plain(String line) {
    return line.replace("flex,", "").replaceAll("(r\\d+)\\+0", "$1");
  }

  @Test
  void elementsBecomeOne() throws Exception {
    Path file = Corpus.builtIn().resolve("bad/45-concat.sframe");
    Section section = new Section(ByteBuffer.wrap(Files.readAllBytes(file)), 0);
    SFrameSection two = SFrameSection.read(section);
    assertEquals(2, two.elements().size());
    SFrameSection one = merge(two);
    assertEquals(two.functionCount(), one.functionCount());
    assertEquals(lines(two).stream().sorted().toList(), lines(one).stream().sorted().toList());
  }

  @Test
  void versionsMixAndKeysAndMarksStay() throws Exception {
    byte[] row = row(0, SP_BASE | RawSection.MANGLED, 16, -8, -16);
    RawSection v2 =
        RawSection.aarch64(2)
            .function(0x3000, 16, RawSection.KEY_B, 0, row)
            .function(0x2000, 16, 0, 0); // says nothing
    RawSection v3 =
        RawSection.aarch64(3)
            .function(0x1000, 16, RawSection.SIGNAL, 0, row)
            .function(0x800, 16, 0, 0); // the stack's end
    SFrameMerge merge = new SFrameMerge();
    merge.add(SFrameSection.read(v2.section()));
    merge.add(SFrameSection.read(v3.section()));
    assertEquals(1, merge.leftOut());
    Section bytes = new Section(ByteBuffer.wrap(merge.write(0)), 0);
    assertEquals(List.of(), SFrameVerifier.verify(bytes));
    assertEquals(
        List.of(
            "800\t16\t-\tundef\tundef\tundef\tnorows",
            "1000\t16\t1000\tsp+16\tc-16\tc-8\tsignal,mangled",
            "3000\t16\t3000\tsp+16\tc-16\tc-8\tkeyB,mangled"),
        lines(SFrameSection.read(bytes)));
  }

  @Test
  void longFunctionGoesOnAsAnother() throws Exception {
    int count = 70_000;
    ByteBuffer bytes = ByteBuffer.allocate(28 + 20 + count * 6).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putShort((short) 0xdee2).put((byte) 2).put((byte) 5).put((byte) 3).put((byte) 0);
    bytes.put((byte) -8).put((byte) 0).putInt(1).putInt(count).putInt(count * 6).putInt(0);
    bytes.putInt(20);
    bytes.putInt(0x1000 - 28).putInt(count + 5).putInt(0).putInt(count).put((byte) 2);
    bytes.put((byte) 0).putShort((short) 0);
    for (int i = 0; i < count; i++) {
      bytes.putInt(i).put((byte) (SP_BASE | 2)).put((byte) (8 + i % 8));
    }
    SFrameSection old = SFrameSection.read(new Section(bytes.flip(), 0));
    SFrameSection merged = merge(old);
    assertEquals(2, merged.functionCount());
    SFrameFunction function = new SFrameFunction();
    SFrameRow row = new SFrameRow();
    for (int pc : new int[] {0, 65_534, 65_535, 65_536, count - 1, count + 4}) {
      assertTrue(old.find(0x1000 + pc, function, row));
      long cfa = row.cfaOffset();
      assertTrue(merged.find(0x1000 + pc, function, row));
      assertEquals(cfa, row.cfaOffset(), "at " + pc);
    }
    assertTrue(!merged.find(0x1000 + count + 5, function, row));
  }

  @Test
  void whatDoesNotFitIsRefused() throws Exception {
    byte[] row = row(0, SP_BASE, 8);
    SFrameSection x86 = SFrameSection.read(RawSection.x86(3).function(1, 8, 0, 0, row).section());
    SFrameSection arm =
        SFrameSection.read(RawSection.aarch64(3).function(1, 8, 0, 0, row).section());
    SFrameSection fixed =
        SFrameSection.read(RawSection.x86(2).fixed(-16, -8).function(1, 8, 0, 0, row).section());
    assertRefused(Reason.WRONG_ABI, x86, arm);
    assertRefused(Reason.OTHER_FIXED_OFFSETS, x86, fixed);
    byte[] bad = row(0, 3 << 5, 8); // no such word size
    SFrameSection malformed =
        SFrameSection.read(RawSection.x86(3).function(1, 8, 0, 0, row, bad).section());
    assertRefused(Reason.BAD_ROW, x86, malformed);
    assertEquals(0, new SFrameMerge().write(0).length);
  }

  private static void assertRefused(Reason reason, SFrameSection... sections) {
    MalformedSectionException e =
        assertThrows(MalformedSectionException.class, () -> merge(sections));
    assertEquals(reason, e.reason());
  }
}
