package stackweave.benchmarks;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.ElfUnwindSections;
import stackweave.sframe.writer.SFrameConversion;
import stackweave.sframe.writer.SFrameWriter;
import stackweave.unwind.Architecture;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.SFrameFunction;
import stackweave.unwind.sframe.SFrameSection;
import stackweave.unwind.table.UnwindSections;
import stackweave.unwind.table.UnwindTables;

/**
 * The time from an address to its rule without the cache of rules, and of what precedes it: opening
 * sections, reading .eh_frame, writing SFrame.
 *
 * <p>libsframe 2.47 on the SFrame section used here (V3, 25,000 functions): open 57 µs, random
 * lookup 331 ns, one of 64 addresses 292 ns.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
public class UnwindTableBenchmark {
  private static final int ADDRESSES = 1 << 16;
  private static final int HOT = 64;

  /** Path, relative to the project's directory. */
  @Param("unwind/src/test/resources/sframe-corpus/big/big25000.sframe")
  public String sframe;

  private final RuleTable rules = new RuleTable(Architecture.X86_64);
  private final long[] addresses = new long[ADDRESSES];
  private Section section;
  private UnwindTable table;
  private UnwindSections libjvm;
  private long[] functions;
  private UnwindTable cold;
  private int next;

  @Setup
  public void read() throws IOException, ElfFormatException, MalformedSectionException {
    section = new Section(direct(Files.readAllBytes(Path.of(sframe))), 0x50_0000);
    table =
        UnwindTables.open(
            new UnwindSections(section, null, null, null, Architecture.X86_64), rules);
    SFrameSection opened = SFrameSection.read(section);
    SFrameFunction function = new SFrameFunction();
    Random random = new Random(1);
    for (int i = 0; i < ADDRESSES; i++) {
      opened.open(random.nextInt(opened.functionCount()), function);
      addresses[i] = function.start() + random.nextInt((int) function.size());
    }
    readLibjvm();
  }

  private void readLibjvm() throws ElfFormatException, MalformedSectionException {
    Path path = Path.of(System.getProperty("java.home"), "lib", "server", "libjvm.so");
    UnwindSections sections = ElfUnwindSections.readLinked(path).sections();
    libjvm =
        new UnwindSections(
            null,
            direct(sections.ehFrameHdr()),
            direct(sections.ehFrame()),
            null,
            Architecture.X86_64);
    SFrameConversion converted = convertLibjvm();
    System.out.printf(
        "libjvm: %d functions, %d rows; SFrame V3 %d bytes, .eh_frame with its index %d bytes%n",
        converted.functions(),
        converted.rows(),
        converted.bytes().length,
        libjvm.ehFrame().bytes().limit() + libjvm.ehFrameHdr().bytes().limit());
    SFrameSection all = SFrameSection.read(new Section(ByteBuffer.wrap(converted.bytes()), 0));
    SFrameFunction function = new SFrameFunction();
    functions = new long[all.functionCount()];
    for (int i = 0; i < functions.length; i++) {
      all.open(i, function);
      functions[i] = function.start();
    }
    openLibjvm();
  }

  private static Section direct(Section section) {
    ByteBuffer bytes = section.bytes().duplicate().rewind();
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    return new Section(direct(copy), section.address());
  }

  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  /** A random address each time: index, function and rows are not in the CPU's caches. */
  @Benchmark
  public int sframeRandom() {
    next = (next + 1) & (ADDRESSES - 1);
    return table.find(addresses[next]);
  }

  /** One of 64 addresses. */
  @Benchmark
  public int sframeHot() {
    next = (next + 1) & (HOT - 1);
    return table.find(addresses[next]);
  }

  /**
   * Reads the header, checks the order of 25,000 functions, and builds the table of start buckets.
   */
  @Benchmark
  public SFrameSection sframeOpen() throws MalformedSectionException {
    return SFrameSection.read(section);
  }

  /**
   * A function of libjvm that was not asked for before: its FDE is found, its CFI executed, its
   * rows kept.
   */
  @Benchmark
  public int ehFrameFirstHit() {
    if (next >= functions.length) {
      next = 0;
      openLibjvm();
    }
    return cold.find(functions[next++]);
  }

  /** All of libjvm's .eh_frame as an SFrame section. */
  @Benchmark
  public SFrameConversion convertLibjvm() {
    return SFrameWriter.convert(libjvm, 3, ByteOrder.LITTLE_ENDIAN, 0);
  }

  private void openLibjvm() {
    cold = UnwindTables.open(libjvm, rules);
  }
}
