package stackweave.maps.elf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.maps.RealLibraries;
import stackweave.maps.elf.ElfFormatException.Reason;
import stackweave.maps.modules.DebugFiles;
import stackweave.maps.modules.ImageOrigin;
import stackweave.maps.modules.MappedModule;
import stackweave.maps.modules.ModuleImage;
import stackweave.maps.modules.OpenedImage;
import stackweave.maps.proc.Mapping;
import stackweave.maps.proc.ProcessFiles;
import stackweave.maps.symbols.SymbolTable;
import stackweave.maps.symbols.SymbolTableTest;
import stackweave.testing.Commands;
import stackweave.testing.Gcc;
import stackweave.unwind.Architecture;
import stackweave.unwind.TableMemory;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.section.Section;
import stackweave.unwind.table.UnwindSections;
import stackweave.unwind.table.UnwindTables;

/** Images as {@code readelf} shows them, and images that are broken. */
class ElfImageTest {
  private static final String SOURCE =
      """
      static __attribute__((noinline)) int hidden(int x) { return x * 3 + 1; }
      __attribute__((noinline)) int shown(int x) { return hidden(x) + hidden(x + 1); }
      """;

  @TempDir Path directory;
  private Path none;

  @BeforeEach
  void noDebugFiles() throws Exception {
    none = Files.createDirectory(directory.resolve("none"));
  }

  static List<Path> libraries() {
    return RealLibraries.small();
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void buildIdAndSections(Path library) throws Exception {
    FileElfImage image = FileElfImage.open(library);
    Matcher id =
        Pattern.compile("Build ID: (\\w+)").matcher(Commands.output("readelf", "-n", "" + library));
    assertEquals(id.find() ? id.group(1) : null, image.buildId());
    String sections = Commands.output("readelf", "-SW", "" + library);
    UnwindSections found = image.unwindSections();
    assertSection(sections, ".eh_frame_hdr", found.ehFrameHdr(), library);
    assertSection(sections, ".eh_frame", found.ehFrame(), library);
    assertSection(sections, ".sframe", found.sframe(), library);
    assertEquals(List.of(), image.problems());
  }

  private static void assertSection(String listing, String name, Section found, Path file)
      throws Exception {
    Matcher m =
        Pattern.compile(Pattern.quote(" " + name + " ") + "\\s*\\S+\\s+(\\w+) (\\w+) (\\w+)")
            .matcher(listing);
    if (!m.find()) {
      assertNull(found, name);
      return;
    }
    assertEquals(Long.parseLong(m.group(1), 16), found.address());
    int size = Integer.parseInt(m.group(3), 16);
    assertEquals(size, found.bytes().limit());
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
    assertEquals(bytes.slice(Integer.parseInt(m.group(2), 16), size), found.bytes());
  }

  /** Without section headers the program headers lead to the same bytes. */
  @Test
  void withoutSectionHeadersTheSegmentsServe() throws Exception {
    Path library = Gcc.library(directory, "a", SOURCE);
    FileElfImage whole = FileElfImage.open(library);
    byte[] bytes = Files.readAllBytes(library);
    ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    header.putLong(40, 0).putShort(60, (short) 0).putShort(62, (short) 0);
    FileElfImage bare = FileElfImage.open(new ImageBytes.OfBuffer(header));
    assertEquals(whole.buildId(), bare.buildId());
    assertEquals(whole.unwindSections().ehFrameHdr(), bare.unwindSections().ehFrameHdr());
    assertEquals(
        whole.unwindSections().ehFrame().address(), bare.unwindSections().ehFrame().address());
    assertEquals(whole.dynsym().table(), bare.dynsym().table());
    assertEquals(functions(whole), functions(bare));
    assertNull(bare.symtab());
  }

  private static int functions(FileElfImage image) {
    return UnwindTables.open(image.unwindSections(), new RuleTable(Architecture.X86_64))
        .functionCount();
  }

  @Test
  void compressedDebugFrameIsInflated() throws Exception {
    Path library =
        Gcc.library(directory, "z", SOURCE, "-g", "-fno-asynchronous-unwind-tables", "-gz=zlib");
    assertTrue(Commands.output("readelf", "-tW", "" + library).contains("COMPRESSED"));
    Path plain = directory.resolve("plain.so");
    Commands.output("objcopy", "--decompress-debug-sections", "" + library, "" + plain);
    Section expected = FileElfImage.open(plain).unwindSections().debugFrame();
    assertNotNull(expected);
    assertEquals(expected, FileElfImage.open(library).unwindSections().debugFrame());
  }

  // ---- separate debug files --------------------------------------------------------------------

  private record Split(Path stripped, Path debug) {}

  private Split split(String... flags) throws Exception {
    Path library = Gcc.library(directory, "split", SOURCE, flags);
    Path debug = directory.resolve("libsplit.so.debug");
    Commands.output("objcopy", "--only-keep-debug", "" + library, "" + debug);
    Commands.output("strip", "--strip-all", "" + library);
    return new Split(library, debug);
  }

  private String nameOfHidden(Path library, Path root) throws Exception {
    SymbolTable symbols = SymbolTableTest.image(library, root).symbols();
    for (int i = 0; i < symbols.size(); i++) {
      if (symbols.rawName(i).equals("hidden")) {
        return "hidden";
      }
    }
    return "none";
  }

  @Test
  void debugFileByLink() throws Exception {
    Split split = split("-Wl,--build-id=none");
    Commands.output("objcopy", "--add-gnu-debuglink=" + split.debug(), "" + split.stripped());
    assertEquals("hidden", nameOfHidden(split.stripped(), none));
    assertEquals(
        ".symtab of " + split.debug() + " and .dynsym",
        SymbolTableTest.image(split.stripped(), none).symbolSource());

    Path hidden = Files.createDirectory(directory.resolve(".debug"));
    Path moved = Files.move(split.debug(), hidden.resolve(split.debug().getFileName()));
    assertEquals("hidden", nameOfHidden(split.stripped(), none));

    Path under = Files.createDirectories(none.resolve(directory.toString().substring(1)));
    moved = Files.move(moved, under.resolve(moved.getFileName()));
    assertEquals("hidden", nameOfHidden(split.stripped(), none));

    byte[] bytes = Files.readAllBytes(moved);
    bytes[bytes.length - 1] ^= 1;
    Files.write(moved, bytes);
    assertEquals("none", nameOfHidden(split.stripped(), none), "another CRC-32");
  }

  @Test
  void debugFileByBuildId() throws Exception {
    Split split = split("-Wl,--build-id=sha1");
    String id = FileElfImage.open(split.stripped()).buildId();
    Path directoryOfId = Files.createDirectories(none.resolve(".build-id/" + id.substring(0, 2)));
    Path place = directoryOfId.resolve(id.substring(2) + ".debug");
    Files.move(split.debug(), place);
    assertEquals("hidden", nameOfHidden(split.stripped(), none));

    Path other =
        Gcc.library(directory, "other", "int hidden(void) { return 1; }", "-Wl,--build-id=sha1");
    Files.copy(other, place, StandardCopyOption.REPLACE_EXISTING);
    assertEquals("none", nameOfHidden(split.stripped(), none), "another build id");
  }

  @Test
  void miniDebugInfo() throws Exception {
    Split split = split();
    Path mini = directory.resolve("mini");
    Commands.output("objcopy", "-S", "--keep-symbol=hidden", "" + split.debug(), "" + mini);
    Commands.output("xz", "" + mini);
    Commands.output(
        "objcopy", "--add-section", ".gnu_debugdata=" + mini + ".xz", "" + split.stripped());
    assertEquals("hidden", nameOfHidden(split.stripped(), none));
    assertEquals(
        ".gnu_debugdata and .dynsym", SymbolTableTest.image(split.stripped(), none).symbolSource());
  }

  // ---- broken images ---------------------------------------------------------------------------

  private static void useAll(byte[] bytes) {
    ElfImage image;
    try {
      image = FileElfImage.open(new ImageBytes.OfBuffer(ByteBuffer.wrap(bytes)));
    } catch (ElfFormatException e) {
      assertNotNull(e.reason());
      return;
    }
    ModuleImage module =
        new ModuleImage(
            new OpenedImage(image, ImageOrigin.FILE, ""),
            new DebugFiles(ProcessFiles.OWN, Path.of("/nonexistent"), TableMemory.HEAP),
            new RuleTable(Architecture.X86_64),
            "/x",
            UnaryOperator.identity());
    SymbolTable symbols = module.symbols();
    for (long address = 0x1000; address < 0x1200; address += 7) {
      int symbol = symbols.find(address);
      if (symbol != SymbolTable.NONE) {
        symbols.name(symbol);
      }
    }
    module.exported("shown");
    module.unwindTable().find(0x1100);
    new MappedModule(1, mapping(), module).why();
  }

  private static Mapping mapping() {
    return new Mapping(0x10000, 0x11000, true, false, true, false, 0x1000, 1, 1, 1, "/x", false);
  }

  @Test
  void everyTruncation() throws Exception {
    byte[] bytes = Files.readAllBytes(Gcc.library(directory, "a", SOURCE));
    for (int length = 0; length < bytes.length; length += length < 1024 ? 1 : 61) {
      useAll(Arrays.copyOf(bytes, length));
    }
  }

  @Test
  void everyHeaderByte() throws Exception {
    byte[] bytes = Files.readAllBytes(Gcc.library(directory, "a", SOURCE));
    int[] values = {0, 1, 0x7f, 0x80, 0xff};
    for (int at = 0; at < 64 + 13 * 56; at++) {
      byte original = bytes[at];
      for (int value : values) {
        bytes[at] = (byte) value;
        useAll(bytes);
      }
      bytes[at] = original;
    }
  }

  @Test
  void randomDamage() throws Exception {
    byte[] bytes = Files.readAllBytes(Gcc.library(directory, "a", SOURCE));
    Random random = new Random(11);
    for (int round = 0; round < 3_000; round++) {
      byte[] damaged = bytes.clone();
      for (int n = random.nextInt(40); n >= 0; n--) {
        // Half of it in the headers, the tables that lead everywhere else.
        boolean inTail = random.nextBoolean();
        int at = inTail ? bytes.length - 1 - random.nextInt(2048) : random.nextInt(bytes.length);
        damaged[at] = (byte) random.nextInt();
      }
      useAll(damaged);
    }
  }

  /** What was read stays; what was not is missed, and memory serves where there is some. */
  @Test
  void fileTruncatedAfterItWasOpened() throws Exception {
    Path library = Files.copy(libraries().get(0), directory.resolve("big.so"));
    ModuleImage opened = SymbolTableTest.image(library, none);
    opened.readNow();
    ModuleImage late = SymbolTableTest.image(library, none);
    try (FileChannel channel = FileChannel.open(library, StandardOpenOption.WRITE)) {
      channel.truncate(0);
    }
    ModuleImage untouched = SymbolTableTest.image(libraries().get(0), none);
    SymbolTable symbols = opened.symbols();
    for (int i = 0; i < symbols.size(); i++) {
      int same = untouched.symbols().find(symbols.start(i));
      assertEquals(untouched.symbols().rawName(same), symbols.rawName(i));
      int rule = opened.unwindTable().find(symbols.start(i));
      assertEquals(untouched.unwindTable().find(symbols.start(i)) >= 0, rule >= 0);
    }
    assertTrue(late.symbols().isEmpty());
    assertEquals("none", late.symbolSource());
    assertEquals(0, late.unwindTable().functionCount());
    assertEquals(0, late.exported("JNI_CreateJavaVM"));
    assertTrue(late.why().contains("file changed since it was opened"), late.why());
    assertThrows(ElfFormatException.class, () -> FileElfImage.open(library));
  }

  @Test
  void reasonsAndPlaces() throws Exception {
    byte[] bytes = Files.readAllBytes(Gcc.library(directory, "a", SOURCE));
    assertReason(Reason.NOT_ELF, new byte[0]);
    assertReason(Reason.NOT_ELF, "#!/bin/sh\n".repeat(10).getBytes());
    assertReason(Reason.UNSUPPORTED_CLASS, with(bytes, 4, 1));
    assertReason(Reason.BAD_HEADER, with(bytes, 5, 7));
    assertReason(Reason.UNSUPPORTED_MACHINE, with(bytes, 18, 3));
    assertReason(Reason.BAD_HEADER, with(bytes, 54, 1));
    assertReason(Reason.OUT_OF_BOUNDS, with(bytes, 36, 0x7f));
    FileElfImage noSections =
        FileElfImage.open(new ImageBytes.OfBuffer(ByteBuffer.wrap(with(bytes, 44, 0x7f))));
    assertEquals(1, noSections.problems().size());
    assertTrue(
        noSections.problems().get(0).startsWith("section headers: position outside the image at"),
        noSections.problems().get(0));
  }

  private static byte[] with(byte[] bytes, int at, int value) {
    byte[] changed = bytes.clone();
    changed[at] = (byte) value;
    return changed;
  }

  private static void assertReason(Reason reason, byte[] bytes) {
    ElfFormatException e =
        assertThrows(
            ElfFormatException.class,
            () -> FileElfImage.open(new ImageBytes.OfBuffer(ByteBuffer.wrap(bytes))));
    assertEquals(reason, e.reason());
  }
}
