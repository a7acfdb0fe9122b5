package stackweave.sframe.fuzz;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import stackweave.unwind.Architecture;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.Corpus;
import stackweave.unwind.table.UnwindSections;
import stackweave.unwind.table.UnwindTables;

/**
 * Sections that Jazzer has found worth keeping: whatever comes, tables answer, and nothing but a
 * {@link MalformedSectionException} leaves a reader. What it once found are the named cases.
 */
class FuzzTest {
  /** CPU time for a section that takes minutes where its instructions are run again and again. */
  private static final long MAX_NANOS = 5_000_000_000L;

  private static final Path KEPT = Path.of("src/test/resources/fuzz");

  /** Of an input that the fuzzer makes. */
  static final int MAX_BYTES = 4096;

  static final List<Path> SFRAME =
      List.of(
          KEPT.resolve("sframe"),
          Corpus.builtIn().resolve("bad"),
          Corpus.builtIn().resolve("synth"));

  static final List<Path> CALL_FRAME = List.of(KEPT.resolve("callframe"));

  @Test
  void keptSframeSections() throws Exception {
    for (byte[] bytes : inputs(SFRAME)) {
      SFrameFuzz.fuzzerTestOneInput(bytes);
    }
  }

  @Test
  void keptCallFrameSections() throws Exception {
    for (byte[] bytes : inputs(CALL_FRAME)) {
      CallFrameFuzz.fuzzerTestOneInput(bytes);
    }
  }

  private static List<byte[]> inputs(List<Path> directories) throws Exception {
    List<byte[]> inputs = new ArrayList<>();
    for (Path directory : directories) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
        for (Path file : files) {
          if (Files.isRegularFile(file) && Files.size(file) <= MAX_BYTES) {
            inputs.add(Files.readAllBytes(file));
          }
        }
      }
    }
    assertTrue(inputs.size() > 20, inputs.size() + " inputs");
    return inputs;
  }

  /** The guide into the functions once counted the slices between them as a signed number. */
  @Test
  void startsMoreThanHalfAnAddressSpaceApart() {
    SFrameFuzz.fuzzerTestOneInput(
        HexFormat.of()
            .parseHex(
                "e2de03040300f800020000000300000014000000000000002000000024100000000000001000"
                    + "000000000000d40f0000000000ff200000000800000001000004000003080200000000"
                    + "000308040510f0"));
  }

  /** Each function runs its CIE's instructions again: a long CIE times many functions. */
  @Test
  void longCieOfManyFunctions() {
    int cieSize = 1 << 20;
    int fdes = 20_000;
    ByteBuffer bytes = ByteBuffer.allocate(4 + cieSize + fdes * 24).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(cieSize).putInt(0).put((byte) 1).put((byte) 0); // version, no augmentation
    bytes.put((byte) 1).put((byte) 0x78).put((byte) 16);
    while (bytes.position() < 4 + cieSize) {
      bytes.put((byte) 0x0a); // remember_state
    }
    for (int i = 0; i < fdes; i++) {
      bytes.putInt(20).putInt(bytes.position()).putLong(0x1000 + i * 16L).putLong(16);
    }
    Section section = new Section(bytes.flip(), 0x40_0000);
    RuleTable rules = new RuleTable(Architecture.X86_64);
    UnwindTable table =
        UnwindTables.open(
            new UnwindSections(null, null, section, null, Architecture.X86_64), rules);
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long begin = threads.getCurrentThreadCpuTime();
    for (int i = 0; i < fdes; i++) {
      int rule = table.find(0x1000 + i * 16L);
      assertTrue(rule < 0 || rules.unsupported(rule) != null);
      long used = threads.getCurrentThreadCpuTime() - begin;
      assertTrue(used < MAX_NANOS, () -> used + " ns of CPU time");
    }
  }
}
