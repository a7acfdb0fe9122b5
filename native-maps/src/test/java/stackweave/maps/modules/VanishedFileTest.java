package stackweave.maps.modules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.maps.SelfMemory;
import stackweave.maps.Symbols;
import stackweave.maps.elf.FileElfImage;
import stackweave.maps.elf.ImageBytes;
import stackweave.maps.proc.Mapping;
import stackweave.maps.proc.ProcMaps;
import stackweave.maps.proc.ProcessFiles;
import stackweave.testing.Commands;
import stackweave.testing.Gcc;
import stackweave.unwind.Architecture;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.table.UnwindTables;

/**
 * Libraries that this JVM has loaded and whose file is then deleted or replaced, as JNI libraries
 * do that unpack themselves into a temporary file; and the vdso, which never had one. Compared with
 * what the file itself tells.
 */
class VanishedFileTest {
  private static final String SOURCE =
      """
      static __attribute__((noinline)) int hidden(int x) { return x * 3 + 1; }
      __attribute__((noinline)) int shown(int x) { return hidden(x) + hidden(x + 1); }
      __attribute__((noinline)) int alloca_user(int n) {
        volatile char a[n]; a[0] = 1; return shown(n) + a[0];
      }
      """;

  @TempDir private static Path compiled;
  @TempDir Path directory;
  private final RuleTable rules = new RuleTable(Architecture.X86_64);
  private SelfMemory memory;
  private Path library;
  private Path copy;

  @BeforeAll
  static void compile() throws Exception {
    Gcc.library(compiled, "vanish", SOURCE, "-Wl,--build-id=sha1");
  }

  @BeforeEach
  void load() throws Exception {
    memory = new SelfMemory();
    library = Files.copy(compiled.resolve("libvanish.so"), directory.resolve("libvanish.so"));
    copy = Files.copy(library, directory.resolve("copy.so"));
    System.load(library.toString());
  }

  @AfterEach
  void close() throws Exception {
    memory.close();
  }

  private MappedModule module(boolean mapFiles) throws Exception {
    return module(Path.of("/proc/self"), mapFiles);
  }

  private MappedModule module(Path process, boolean mapFiles) throws Exception {
    ModuleIndex index =
        new ModuleIndex(
            memory, rules, new ModuleSources(process, directory, ProcessFiles.OWN, mapFiles));
    index.refresh(0);
    return module(index);
  }

  private MappedModule module(ModuleIndex index) {
    return index.latest().modules().stream()
        .filter(m -> m.path().equals(library.toString()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void deletedAndReadFromMemory() throws Exception {
    Files.delete(library);
    MappedModule module = module(false);
    assertEquals(ImageOrigin.MEMORY, module.origin());
    assertEquals("file deleted", module.why());
    assertEquals(".dynsym", module.symbolSource());
    assertEquals("shown", Symbols.at(module, module.addressOf("shown") + 3));
    assertEquals("none", Symbols.at(module, hidden(module)));
    long start = hidden(module) - module.bias();
    assertEquals(start, module.unwindTable().functionStart(start + 1));
    assertLikeTheFile(module);
  }

  /** Each of its segments begins in the file's first page, so each may be mapped from there. */
  @Test
  void deletedAndSoSmallThatAllIsInOnePage() throws Exception {
    Path small = Gcc.library(directory, "small", SOURCE, "-Wl,-z,noseparate-code");
    System.load(small.toString());
    Files.delete(small);
    ModuleIndex index =
        new ModuleIndex(
            memory,
            rules,
            new ModuleSources(Path.of("/proc/self"), directory, ProcessFiles.OWN, false));
    index.refresh(0);
    MappedModule module =
        index.latest().modules().stream()
            .filter(m -> m.path().equals(small.toString()))
            .findFirst()
            .orElseThrow();
    assertEquals("file deleted", module.why());
    assertEquals("shown", Symbols.at(module, module.addressOf("shown") + 3));
    assertTrue(module.unwindTable().functionCount() > 0);
    assertEquals("file deleted", module.why(), "nothing was found malformed");
  }

  @Test
  void deletedAndReadThroughMapFiles() throws Exception {
    assumeTrue(canOpenMapFiles(), "map_files needs privilege");
    Files.delete(library);
    MappedModule module = module(true);
    assertEquals(ImageOrigin.MAPPED_FILE, module.origin());
    assertEquals("", module.why());
    assertEquals("hidden", Symbols.at(module, hidden(module)));
    assertLikeTheFile(module);
  }

  /** By a descriptor of somebody who opened it before it was deleted: all that the file has. */
  @Test
  void deletedButHeldOpen() throws Exception {
    ModuleIndex index =
        new ModuleIndex(
            memory,
            rules,
            new ModuleSources(Path.of("/proc/self"), directory, ProcessFiles.OWN, false));
    try (FileInputStream in = new FileInputStream(library.toFile())) {
      Path held = descriptorOf(library);
      Files.delete(library);
      index.keptBy(path -> path.equals(library.toString()) ? held : null);
      index.refresh(0);
      assertTrue(in.read() >= 0);
    }
    MappedModule module = module(index);
    assertEquals(ImageOrigin.MAPPED_FILE, module.origin());
    assertTrue(module.isRead());
    assertEquals("hidden", Symbols.at(module, hidden(module)));
    assertLikeTheFile(module);
  }

  /** Another library was loaded from the same path later, and that one is held. */
  @Test
  void anotherFileIsHeld() throws Exception {
    Files.delete(library);
    Path other =
        Gcc.library(directory, "other", "int shown(void) { return 7; }", "-Wl,--build-id=sha1");
    ModuleIndex index =
        new ModuleIndex(
            memory,
            rules,
            new ModuleSources(Path.of("/proc/self"), directory, ProcessFiles.OWN, false));
    index.keptBy(path -> other);
    index.refresh(0);
    MappedModule module = module(index);
    assertEquals(ImageOrigin.MEMORY, module.origin());
    assertLikeTheFile(module);
  }

  private static Path descriptorOf(Path file) throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      for (Path each : all.toList()) {
        if (Files.isSymbolicLink(each) && Files.readSymbolicLink(each).equals(file)) {
          return each;
        }
      }
    }
    throw new AssertionError(file + " is not open");
  }

  private static boolean canOpenMapFiles() throws IOException {
    Mapping any =
        ProcMaps.read(Path.of("/proc/self")).stream().filter(Mapping::isFile).findFirst().get();
    String range = Long.toHexString(any.start()) + "-" + Long.toHexString(any.end());
    try (InputStream in = Files.newInputStream(Path.of("/proc/self/map_files", range))) {
      return in.read() >= 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** A file outside the system's directories is read when it is found: it may be deleted next. */
  @Test
  void deletedAfterItWasFound() throws Exception {
    MappedModule module = module(false);
    Files.delete(library);
    assertEquals("hidden", Symbols.at(module, hidden(module)));
    assertEquals(ImageOrigin.FILE, module.origin());
    assertRulesEqual(FileElfImage.open(copy), module, 0x1000, 0x2000);
  }

  /** There when the image was opened, gone at its first use: memory does, if it is that image. */
  @ParameterizedTest
  @ValueSource(strings = {"-Wl,--build-id=sha1", "-Wl,--build-id=none"})
  void deletedBeforeItsFirstUse(String buildId) throws Exception {
    Path file =
        Gcc.library(directory, "unused" + buildId.length() + buildId.hashCode(), SOURCE, buildId);
    System.load(file.toString());
    List<Mapping> mappings = ProcMaps.read(Path.of("/proc/self"));
    Mapping code =
        mappings.stream()
            .filter(m -> m.executable() && m.path().equals(file.toString()))
            .findFirst()
            .orElseThrow();
    ModuleImage image =
        new ImageOpener(
                memory,
                rules,
                new ModuleSources(Path.of("/proc/self"), directory, ProcessFiles.OWN, false))
            .open(code, mappings);
    assertEquals(ImageOrigin.FILE, image.origin());
    Files.delete(file);
    assertTrue(image.unwindTable().functionCount() > 0, image.why());
    assertEquals(ImageOrigin.MEMORY, image.origin());
    assertEquals("file vanished or changed after it was opened", image.why());
    assertEquals(".dynsym", image.symbolSource());
  }

  @Test
  void replacedByAnotherFile() throws Exception {
    Path other = Gcc.library(directory, "other", "int shown(void) { return 7; }");
    Files.move(other, library, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    // The kernel goes by the inode: the mapped one has lost its name.
    MappedModule module = module(false);
    assertEquals(ImageOrigin.MEMORY, module.origin());
    assertLikeTheFile(module);
  }

  /** On a stacked file system maps shows another device than stat: then the build id decides. */
  @Test
  void anotherDeviceIsNoDoubtIfTheBuildIdIsRight() throws Exception {
    Path process = Files.createDirectory(directory.resolve("proc"));
    String maps = Commands.output("cat", "/proc/" + ProcessHandle.current().pid() + "/maps");
    Files.writeString(
        process.resolve("maps"), maps.replaceAll("(?m)^(\\S+ \\S+ \\S+) \\w+:", "$1 fff:"));
    assertEquals(ImageOrigin.FILE, module(process, false).origin());

    Path other =
        Gcc.library(directory, "other", "int shown(void) { return 7; }", "-Wl,--build-id=sha1");
    Files.move(other, library, StandardCopyOption.REPLACE_EXISTING);
    MappedModule module = module(process, false);
    assertEquals(ImageOrigin.MEMORY, module.origin());
    assertEquals("another file is at the path now", module.why());
  }

  private long hidden(MappedModule module) throws Exception {
    for (String line : Commands.output("nm", copy.toString()).split("\n")) {
      if (line.endsWith(" hidden")) {
        return module.bias() + Long.parseLong(line.substring(0, 16), 16);
      }
    }
    throw new AssertionError("nm knows no hidden");
  }

  /** Build id, every row of unwind information, exported symbols: the same as in the file. */
  private void assertLikeTheFile(MappedModule module) throws Exception {
    FileElfImage file = FileElfImage.open(copy);
    assertEquals(file.buildId(), module.buildId());
    assertRulesEqual(file, module, 0x1000, 0x2000);
    String loaded = Commands.output("nm", "-D", "--defined-only", copy.toString());
    for (String line : loaded.split("\n")) {
      String[] fields = line.split(" ");
      assertEquals(
          Long.parseLong(fields[0], 16) + module.bias(), module.addressOf(fields[2]), line);
    }
  }

  /** Both tables intern their rules in one table, so equal rules have equal ids. */
  private void assertRulesEqual(FileElfImage file, MappedModule module, long from, long to) {
    UnwindTable expected = UnwindTables.open(file.unwindSections(), rules);
    UnwindTable found = module.unwindTable();
    assertEquals(expected.source(), found.source());
    assertEquals(expected.functionCount(), found.functionCount());
    int known = 0;
    for (long address = from; address < to; address++) {
      assertEquals(expected.find(address), found.find(address), Long.toHexString(address));
      known += expected.find(address) >= 0 ? 1 : 0;
    }
    assertTrue(known > 30, "only " + known + " addresses have a rule");
  }

  /** The vdso, written to a file that nm and our own file reader understand. */
  @Test
  void vdso() throws Exception {
    Mapping vdso =
        ProcMaps.read(Path.of("/proc/self")).stream()
            .filter(m -> m.path().equals("[vdso]"))
            .findFirst()
            .orElseThrow();
    byte[] bytes = new byte[(int) (vdso.end() - vdso.start())];
    memory.read(vdso.start(), bytes, 0, bytes.length);
    Path dump = Files.write(directory.resolve("vdso.so"), bytes);
    ModuleIndex index = new ModuleIndex(memory, rules);
    index.refresh(0);
    MappedModule module = index.latest().named("[vdso]");
    List<String> names = new ArrayList<>();
    for (String line : Commands.output("nm", "-D", "--defined-only", dump.toString()).split("\n")) {
      String[] fields = line.split(" ");
      String name = fields[2].replaceAll("@.*", "");
      if ("TW".contains(fields[1])) {
        names.add(name);
        assertEquals(Long.parseLong(fields[0], 16) + vdso.start(), module.addressOf(name));
      }
    }
    assertTrue(names.contains("__vdso_clock_gettime"), names::toString);
    String found = Symbols.at(module, module.addressOf("__vdso_clock_gettime"));
    assertTrue(names.contains(found), found);
    FileElfImage file = FileElfImage.open(new ImageBytes.OfBuffer(ByteBuffer.wrap(bytes)));
    assertEquals(file.buildId(), module.buildId());
    assertRulesEqual(file, module, 0, bytes.length);
  }
}
