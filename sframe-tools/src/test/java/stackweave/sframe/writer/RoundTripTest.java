package stackweave.sframe.writer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.unwind.Architecture;
import stackweave.unwind.Elf;
import stackweave.unwind.Location;
import stackweave.unwind.cfi.CallFrameTable;
import stackweave.unwind.rule.RowCache;
import stackweave.unwind.rule.RuleBuilder;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.Corpus;
import stackweave.unwind.sframe.SFrameSection;
import stackweave.unwind.table.UnwindSections;
import stackweave.unwind.table.UnwindTables;

/** What the writer makes of .eh_frame, the reader reads as the same rules. */
class RoundTripTest {
  private static final long ADDRESS = 0x10_0000;

  static Stream<Arguments> files() {
    List<Path> files = new ArrayList<>();
    files.add(Path.of("/lib/x86_64-linux-gnu/libc.so.6"));
    for (Path directory : Corpus.list("live", "*")) {
      files.add(directory.resolve("prog-v3.elf"));
    }
    return files.stream().flatMap(file -> Stream.of(Arguments.of(file, 3), Arguments.of(file, 2)));
  }

  @ParameterizedTest
  @MethodSource("files")
  void readerOfWriterIsTheSame(Path file, int version) throws Exception {
    assumeTrue(Files.exists(file), "not on this machine: " + file);
    Elf elf = Elf.read(file);
    UnwindSections sections = elf.ehFrameOnly();
    SFrameConversion conversion =
        SFrameWriter.convert(sections, version, elf.bytes.order(), ADDRESS);
    Section written = new Section(ByteBuffer.wrap(conversion.bytes()), ADDRESS);
    SFrameSection section = SFrameSection.read(written);
    assertEquals(version, section.version());
    assertEquals(section.functionCount(), conversion.written());
    assertTrue(section.isSearchedInPlace());

    RuleTable rules = new RuleTable(elf.architecture);
    CallFrameTable frames = (CallFrameTable) UnwindTables.open(sections, rules);
    UnwindTable read =
        UnwindTables.open(new UnwindSections(written, null, null, null, elf.architecture), rules);
    SFrameRowEncoder encoder = new SFrameRowEncoder(rules, version);
    List<String> differences = new ArrayList<>();
    int compared = 0;
    int missing = 0;
    for (int i = 0; i < frames.functionCount(); i++) {
      RowCache rows = frames.rowsOf(i);
      int count = rows.rowCount(i);
      long[] offsets = new long[count + 1];
      for (int row = 0; row < count; row++) {
        offsets[row] = rows.offset(i, row);
      }
      offsets[count] = rows.size(i) - 1;
      for (long offset : offsets) {
        long pc = frames.start(i) + offset;
        int wanted = frames.find(pc);
        int found = read.find(pc);
        compared++;
        if (!isExpressible(rules, wanted, encoder, version)) {
          missing++;
          if (found != UnwindTable.NO_RULE) {
            differences.add(rules.describe(wanted) + " became " + rules.describe(found));
          }
        } else if (!isSame(rules, wanted, found)) {
          differences.add(
              Long.toHexString(pc)
                  + ": "
                  + rules.describe(wanted)
                  + " became "
                  + (found < 0 ? "nothing" : rules.describe(found)));
        }
      }
    }
    assertEquals(List.of(), differences.stream().limit(10).toList());
    assertTrue(compared > 20, compared + " compared");
    if (version == 3) {
      assertTrue(missing * 100 < compared, missing + " of " + compared + " can't be written");
    }
  }

  private static boolean isExpressible(
      RuleTable rules, int rule, SFrameRowEncoder encoder, int version) {
    return switch (rules.kind(rule)) {
      case RuleTable.SIGNAL_FRAME -> version == 3;
      case RuleTable.UNSUPPORTED -> false;
      default -> {
        boolean signal = (rules.flags(rule) & RuleTable.FLAG_SIGNAL) != 0;
        yield (version == 3 || !signal)
            && (encoder.encode(rule, false) || encoder.encode(rule, true));
      }
    };
  }

  /** Equal in what SFrame can say: CFA, RA, FP. */
  static boolean isSame(RuleTable rules, int a, int b) {
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

  /** Bounds of the encoding as the format has them: every row type and word size reads back. */
  @ParameterizedTest
  @MethodSource("orders")
  void extremesReadBack(Architecture architecture, ByteOrder order) throws Exception {
    RuleTable rules = new RuleTable(architecture);
    SFrameWriter writer = new SFrameWriter(rules, 3, order);
    RuleBuilder builder = new RuleBuilder(architecture);
    int[] cfaOffsets = {0, 160, 127 * 8, 128 * 8, 32767 * 8, 32768 * 8, 1 << 27, -160, -1 << 20};
    int[] offsets = new int[cfaOffsets.length];
    int[] ids = new int[cfaOffsets.length];
    for (int spacing : new int[] {1, 28, 256, 65_536}) {
      for (int i = 0; i < cfaOffsets.length; i++) {
        builder.clear();
        builder.setCfa(architecture.sp(), cfaOffsets[i]);
        builder.ra = Location.atCfa(-8);
        builder.setFp(Location.atCfa(-16 - cfaOffsets[i] / 2));
        builder.forgetAllButFp();
        offsets[i] = i * spacing;
        ids[i] = rules.intern(builder);
      }
      long start = 0x40_0000L * spacing;
      assertEquals(null, writer.add(start, 9L * spacing, offsets, ids, ids.length));
    }
    Section written = new Section(ByteBuffer.wrap(writer.write(ADDRESS)), ADDRESS);
    UnwindTable read =
        UnwindTables.open(new UnwindSections(written, null, null, null, architecture), rules);
    for (int spacing : new int[] {1, 28, 256, 65_536}) {
      for (int i = 0; i < ids.length; i++) {
        long pc = 0x40_0000L * spacing + (long) i * spacing;
        assertEquals(rules.describe(ids[i]), rules.describe(read.find(pc)));
        assertEquals(ids[i], read.find(pc + spacing - 1));
      }
      assertEquals(UnwindTable.NO_RULE, read.find(0x40_0000L * spacing + 9L * spacing));
    }
  }

  static Stream<Arguments> orders() {
    return Stream.of(
        Arguments.of(Architecture.X86_64, ByteOrder.LITTLE_ENDIAN),
        Arguments.of(Architecture.AARCH64, ByteOrder.LITTLE_ENDIAN),
        Arguments.of(Architecture.AARCH64, ByteOrder.BIG_ENDIAN),
        Arguments.of(Architecture.S390X, ByteOrder.BIG_ENDIAN));
  }

  /** Objdump reads from the section what the reader reads. */
  @ParameterizedTest
  @MethodSource("files")
  void objdumpReadsTheSame(Path file, int version) throws Exception {
    assumeTrue(Objdump.reads(version), Objdump.PROGRAM + " does not read SFrame V" + version);
    assumeTrue(Files.exists(file), "not on this machine: " + file);
    Elf elf = Elf.read(file);
    SFrameConversion conversion =
        SFrameWriter.convert(elf.ehFrameOnly(), version, elf.bytes.order(), ADDRESS);
    List<String> theirs = Objdump.rows(conversion.bytes(), ADDRESS);
    List<String> ours = Objdump.rows(new Section(ByteBuffer.wrap(conversion.bytes()), ADDRESS));
    assertEquals(conversion.rows(), ours.stream().filter(line -> !line.endsWith(" -")).count());
    for (int i = 0; i < Math.min(ours.size(), theirs.size()); i++) {
      assertEquals(theirs.get(i), ours.get(i));
    }
    assertEquals(theirs.size(), ours.size());
  }
}
