package stackweave.unwind;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/**
 * Sections with bytes changed at random: whatever comes, tables answer, and nothing but a {@link
 * MalformedSectionException} leaves a reader. The seed is fixed: a failure can be repeated; {@code
 * -Dfuzz.seconds} runs longer, {@code -Dfuzz.seed} elsewhere.
 */
class FuzzTest {
  private static final long SECONDS = Long.getLong("fuzz.seconds", 4);
  private static final long SEED = Long.getLong("fuzz.seed", 20);

  private final Random random = new Random(SEED);

  @Test
  void sframeSections() throws IOException {
    List<byte[]> seeds = new ArrayList<>();
    try (Stream<Path> files = Files.walk(Corpus.directory())) {
      for (Path file : files.filter(f -> f.toString().endsWith(".sframe")).sorted().toList()) {
        if (Files.size(file) < 20_000) {
          seeds.add(Files.readAllBytes(file));
        }
      }
    }
    assertTrue(seeds.size() > 50, seeds.size() + " seeds");
    long runs = run(seeds, bytes -> sframe(bytes));
    assertTrue(runs > 100, runs + " runs");
  }

  @Test
  void callFrameSections() throws IOException {
    List<byte[]> seeds = new ArrayList<>();
    for (Path directory : Corpus.list("live", "*")) {
      Section section = Elf.read(directory.resolve("prog-v3.elf")).section(".eh_frame");
      byte[] bytes = new byte[section.bytes().limit()];
      section.bytes().duplicate().get(bytes);
      seeds.add(bytes);
    }
    long runs = run(seeds, bytes -> callFrames(bytes));
    assertTrue(runs > 100, runs + " runs");
  }

  /** The guide into the functions once counted the slices between them as a signed number. */
  @Test
  void startsMoreThanHalfAnAddressSpaceApart() {
    sframe(
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
    Assertions.assertTimeout(
        Duration.ofSeconds(5),
        () -> {
          for (int i = 0; i < fdes; i++) {
            int rule = table.find(0x1000 + i * 16L);
            assertTrue(rule < 0 || rules.unsupported(rule) != null);
          }
        });
  }

  private interface Target {
    void run(byte[] bytes);
  }

  private long run(List<byte[]> seeds, Target target) {
    long end = System.nanoTime() + Duration.ofSeconds(SECONDS).toNanos();
    long runs = 0;
    while (System.nanoTime() < end) {
      byte[] bytes = mutate(seeds.get(random.nextInt(seeds.size())));
      try {
        // One input can't take longer than reading it row by row.
        Assertions.assertTimeout(Duration.ofSeconds(10), () -> target.run(bytes));
      } catch (RuntimeException | Error e) {
        throw new AssertionError("input: " + HexFormat.of().formatHex(bytes), e);
      }
      runs++;
    }
    return runs;
  }

  private byte[] mutate(byte[] seed) {
    byte[] bytes = seed.clone();
    int changes = 1 + random.nextInt(8);
    for (int i = 0; i < changes && bytes.length > 0; i++) {
      // Headers and indices are where the structure is: change them more often.
      int at =
          random.nextBoolean()
              ? random.nextInt(Math.min(bytes.length, 80))
              : random.nextInt(bytes.length);
      switch (random.nextInt(4)) {
        case 0 -> bytes[at] = (byte) random.nextInt(256);
        case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        case 2 -> bytes[at] = (byte) (random.nextBoolean() ? 0xff : 0);
        default -> bytes = java.util.Arrays.copyOf(bytes, 1 + random.nextInt(bytes.length));
      }
    }
    return bytes;
  }

  private void sframe(byte[] bytes) {
    Section section = new Section(ByteBuffer.wrap(bytes), 0x1000);
    try {
      SFrameSection read = SFrameSection.read(section);
      List<SFrameFault> faults = SFrameText.write(read, new StringBuilder());
      assertEquals(faults, SFrameListing.write(read, new StringBuilder()));
      List<SFrameFault> all = SFrameVerifier.verify(section);
      assertTrue(all.containsAll(faults), faults + " not in " + all);
      assertTrue(SFrameStatistics.of(read).malformed() <= faults.size());
    } catch (MalformedSectionException e) {
      assertTrue(e.offset() <= bytes.length, e.getMessage());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    for (Architecture architecture : Architecture.values()) {
      RuleTable rules = new RuleTable(architecture);
      look(
          UnwindTables.open(new UnwindSections(section, null, null, null, architecture), rules),
          rules);
    }
  }

  private void callFrames(byte[] bytes) {
    Section section = new Section(ByteBuffer.wrap(bytes), 0x402000);
    for (Architecture architecture : Architecture.values()) {
      RuleTable rules = new RuleTable(architecture);
      look(
          UnwindTables.open(new UnwindSections(null, null, section, null, architecture), rules),
          rules);
      look(
          UnwindTables.open(new UnwindSections(null, null, null, section, architecture), rules),
          rules);
      look(
          UnwindTables.open(new UnwindSections(null, section, section, null, architecture), rules),
          rules);
    }
  }

  private void look(UnwindTable table, RuleTable rules) {
    for (int i = 0; i < 40; i++) {
      long address =
          switch (i % 4) {
            case 0 -> random.nextLong();
            case 1 -> 0x401000 + random.nextInt(0x1000);
            case 2 -> 0x1000 + random.nextInt(0x100);
            default -> random.nextInt();
          };
      int rule = table.find(address);
      if (rule >= 0) {
        rules.describe(rule);
      }
    }
  }
}
