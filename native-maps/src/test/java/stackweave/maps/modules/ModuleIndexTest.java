package stackweave.maps.modules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.maps.SelfMemory;
import stackweave.maps.Symbols;
import stackweave.maps.proc.Mapping;
import stackweave.maps.proc.ProcMaps;
import stackweave.maps.proc.ProcessFiles;
import stackweave.testing.Gcc;
import stackweave.unwind.Architecture;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.rule.RuleTable;

/** The index over a /proc directory that the test writes, and over this very process. */
class ModuleIndexTest {
  private static final MemoryReader NO_MEMORY =
      new MemoryReader() {
        @Override
        public long readLong(long address) throws UnreadableMemoryException {
          throw UnreadableMemoryException.UNREADABLE;
        }

        @Override
        public void read(long address, byte[] target, int offset, int length)
            throws UnreadableMemoryException {
          throw UnreadableMemoryException.UNREADABLE;
        }
      };

  @TempDir private static Path compiled;
  @TempDir Path directory;
  private Path a;
  private Path b;
  private ModuleIndex index;

  @BeforeAll
  static void compile() throws Exception {
    Gcc.library(compiled, "a", "int fa(int x) { return x + 1; }");
    Gcc.library(compiled, "b", "int fb(int x) { return x + 2; }");
  }

  @BeforeEach
  void twoLibraries() throws Exception {
    a = Files.copy(compiled.resolve("liba.so"), directory.resolve("liba.so"));
    b = Files.copy(compiled.resolve("libb.so"), directory.resolve("libb.so"));
    index =
        new ModuleIndex(
            NO_MEMORY,
            new RuleTable(Architecture.X86_64),
            new ModuleSources(directory, directory, ProcessFiles.OWN, false));
  }

  /** A line of maps for one page of code at file offset 0x1000, where gcc puts .text. */
  private String line(long address, Path library) throws IOException {
    long device = (Long) Files.getAttribute(library, "unix:dev");
    return String.format(
        "%x-%x r-xp 00001000 %02x:%02x %d  %s%n",
        address,
        address + 0x1000,
        device >>> 8 & 0xfff,
        (device & 0xff) | (device >>> 12 & 0xffffff00L),
        (Long) Files.getAttribute(library, "unix:ino"),
        library);
  }

  private void maps(String... lines) throws IOException {
    Files.writeString(directory.resolve("maps"), String.join("", lines));
  }

  @Test
  void nothingIsKnownBeforeTheFirstRefresh() {
    assertNull(index.at(0).find(0x10000));
  }

  @Test
  void rangesHaveHardEdges() throws Exception {
    maps(line(0x10000, a), line(0x20000, b));
    index.refresh(100);
    ModuleMap map = index.at(100);
    assertNull(map.find(0xffff));
    assertEquals("liba.so", map.find(0x10000).name());
    assertEquals("liba.so", map.find(0x10fff).name());
    assertNull(map.find(0x11000));
    assertEquals("libb.so", map.find(0x20000).name());
    assertNull(map.find(-1));
    assertEquals(0xf000, map.find(0x10000).bias());
    assertEquals("", map.find(0x10000).why());
  }

  @Test
  void aSampleGetsTheMappingsOfItsTime() throws Exception {
    maps(line(0x10000, a));
    index.refresh(100);
    maps(line(0x10000, b));
    index.refresh(200);
    maps();
    index.refresh(300);
    assertEquals("liba.so", index.at(50).find(0x10000).name(), "older than all that is known");
    assertEquals("liba.so", index.at(199).find(0x10000).name());
    assertEquals("libb.so", index.at(200).find(0x10000).name());
    assertEquals("libb.so", index.at(299).find(0x10000).name());
    assertNull(index.at(300).find(0x10000));
    assertEquals(3, List.of(gen(100), gen(200), gen(300)).stream().distinct().count());
  }

  /** Found by the sample of 200, and by a look at 300. */
  @Test
  void whatASampleMakesBeFoundWasThereAtThatSample() throws Exception {
    maps(line(0x10000, a));
    index.refresh(100);
    maps(line(0x20000, b));
    assertTrue(index.refresh(300, 200));
    assertNull(index.at(199).find(0x20000));
    assertEquals("libb.so", index.at(200).find(0x20000).name());
    assertEquals("liba.so", index.at(299).find(0x10000).name(), "gone, nobody knows since when");
    assertNull(index.at(300).find(0x10000));
    assertEquals("libb.so", index.at(300).find(0x20000).name());
    assertFalse(index.refresh(500, 400));
    maps(line(0x20000, a));
    assertTrue(index.refresh(700, 600));
    assertEquals("libb.so", index.at(599).find(0x20000).name());
    assertNull(index.at(600).find(0x20000), "either of them");
    assertEquals("liba.so", index.at(700).find(0x20000).name());
    maps();
    assertTrue(index.refresh(800, 750));
    assertEquals("liba.so", index.at(799).find(0x20000).name());
    assertNull(index.at(800).find(0x20000));
  }

  /** Of libraries that came and went between two looks, only what is certain counts. */
  @Test
  void whereTheLoaderHasLoadedMoreThanIsThereNobodyKnowsWhatWas() throws Exception {
    maps(line(0x10000, a), line(0x30000, a));
    index.refresh(100);
    maps(line(0x20000, b), line(0x30000, a));
    assertTrue(index.refresh(300, 200, (come, gone) -> come == 1 && gone == 1));
    assertEquals("liba.so", index.at(200).find(0x10000).name());
    assertEquals("libb.so", index.at(200).find(0x20000).name());
    assertNull(index.at(300).find(0x10000));
    maps(line(0x20000, a), line(0x30000, a), line(0x40000, b));
    assertTrue(index.refresh(500, 400, (come, gone) -> come == 2 && gone == 1), "the same place");
    assertEquals("libb.so", index.at(399).find(0x20000).name());
    assertNull(index.at(400).find(0x20000));
    assertEquals("libb.so", index.at(400).find(0x40000).name());
    assertEquals("liba.so", index.at(500).find(0x20000).name());
  }

  @Test
  void afterChangesThatNobodyHasSeenALibraryThatWasUnloadedOnceMayHaveBeenAway() throws Exception {
    maps(line(0x10000, a), line(0x20000, b));
    index.refresh(100);
    maps(line(0x20000, b));
    assertTrue(index.refresh(300, 200, (come, gone) -> false));
    assertNull(index.at(200).find(0x10000), "gone, and others may have been there");
    assertEquals("libb.so", index.at(200).find(0x20000).name());
    maps(line(0x10000, a), line(0x20000, b));
    assertTrue(index.refresh(500, 400, (come, gone) -> true));
    assertEquals("liba.so", index.at(400).find(0x10000).name());
    assertTrue(index.refresh(700, 600, (come, gone) -> false), "the same mappings");
    assertEquals("liba.so", index.at(599).find(0x10000).name());
    assertNull(index.at(600).find(0x10000));
    assertEquals("libb.so", index.at(600).find(0x20000).name());
    assertEquals("liba.so", index.at(700).find(0x10000).name());
    assertFalse(index.refresh(900, 800, (come, gone) -> true));
  }

  private int gen(long time) {
    return index.at(time).generation();
  }

  @Test
  void whatIsStillMappedKeepsModuleAndGeneration() throws Exception {
    maps(line(0x10000, a));
    index.refresh(100);
    MappedModule module = index.latest().find(0x10000);
    int generation = gen(100);
    index.refresh(200);
    assertEquals(generation, gen(300));
    maps(line(0x10000, a), line(0x20000, b));
    index.refresh(400);
    assertSame(module, index.latest().find(0x10000));
    assertNotEquals(generation, gen(400));
  }

  @Test
  void aModuleThatComesBackIsAnotherOneWithTheSameContent() throws Exception {
    maps(line(0x10000, a));
    index.refresh(100);
    MappedModule first = index.latest().find(0x10000);
    maps();
    index.refresh(200);
    maps(line(0x10000, a), line(0x30000, a));
    index.refresh(300);
    MappedModule again = index.latest().find(0x10000);
    MappedModule other = index.latest().find(0x30000);
    assertEquals(3, List.of(first.id(), again.id(), other.id()).stream().distinct().count());
    assertSame(first.symbols(), again.symbols());
    assertSame(first.unwindTable(), other.unwindTable());
    assertEquals(again.bias() + 0x20000, other.bias());
  }

  /** The library's segment before its code, at file offset 0. */
  private String headerLine(long address, Path library) throws IOException {
    return line(address, library).replace("r-xp 00001000", "r--p 00000000");
  }

  private static String anonymousLine(long start, long end) {
    return String.format("%x-%x r-xp 00000000 00:00 0 %n", start, end);
  }

  @Test
  void codeThatIsMovedOffItsFileStaysTheLibrarys() throws Exception {
    maps(headerLine(0xf000, a), line(0x10000, a), anonymousLine(0x50000, 0x60000));
    index.refresh(100);
    MappedModule module = index.latest().find(0x10000);
    maps(headerLine(0xf000, a), anonymousLine(0x10000, 0x11000), anonymousLine(0x50000, 0x60000));
    index.refresh(200);
    assertSame(module, index.latest().find(0x10000));
    assertEquals(gen(100), gen(200), "nothing has changed");
    assertNull(index.latest().find(0x50000));
    maps(anonymousLine(0x10000, 0x11000), anonymousLine(0x50000, 0x60000));
    index.refresh(400);
    assertNull(index.latest().find(0x10000), "the library is gone");
    assertTrue(index.latest().isExecutable(0x10000));
  }

  @Test
  void codeThatWasMovedBeforeAnybodyLookedIsFoundByTheRestOfItsFile() throws Exception {
    maps(headerLine(0xf000, a), anonymousLine(0x10000, 0x11000), anonymousLine(0x12000, 0x13000));
    index.refresh(100);
    MappedModule module = index.latest().find(0x10800);
    assertEquals("liba.so", module.name());
    assertEquals(0xf000, module.bias());
    assertNull(index.latest().find(0x12000), "beside its code");
    assertFalse(index.latest().isExecutable(0x11000));
  }

  @Test
  void anotherFileAtThePathIsNotTaken() throws Exception {
    String line = line(0x10000, a);
    Files.move(a, directory.resolve("old.so"));
    Files.copy(b, a);
    maps(line);
    index.refresh(100);
    MappedModule module = index.latest().find(0x10000);
    assertEquals(ImageOrigin.NONE, module.origin());
    assertTrue(module.symbols().isEmpty());
    assertEquals(-1, module.unwindTable().find(0x1000));
    assertTrue(module.why().startsWith("file"), module.why());
    assertEquals(0x10000 - 0x1000, module.bias());
    assertNull(module.unknownCodeAt(0x10008));
  }

  @Test
  void whatIsNoElfIsAModuleWithoutInformation() throws Exception {
    Path text = Files.writeString(directory.resolve("text"), "no ELF");
    maps(line(0x10000, text));
    index.refresh(100);
    MappedModule module = index.latest().find(0x10000);
    assertEquals("file: not an ELF file at 0x0; memory: ELF header not mapped", module.why());
    assertEquals(0xf000, module.bias());
  }

  @Test
  void historyIsBounded() throws Exception {
    maps(line(0x10000, a));
    index.refresh(0);
    for (int i = 1; i <= 200; i++) {
      maps(line(0x10000, a), line(0x100000 + 0x1000L * i, b));
      index.refresh(i);
    }
    assertNull(index.at(0).find(0x100000 + 0x1000 * (200 - 64)));
    assertEquals("libb.so", index.at(0).find(0x100000 + 0x1000 * (201 - 64)).name());
    assertEquals("libb.so", index.at(200).find(0x100000 + 0x1000 * 200).name());
    maps();
    index.refresh(40_000_000_000L);
    assertEquals(2, index.at(0).ranges().size(), "valid until 30 s ago");
  }

  /** The real process: bias and ranges as /proc/self/maps and the program headers say. */
  @Test
  void ownProcess() throws Exception {
    try (SelfMemory memory = new SelfMemory()) {
      ModuleIndex own = new ModuleIndex(memory, new RuleTable(Architecture.X86_64));
      own.refresh(System.nanoTime());
      ModuleMap map = own.latest();
      for (Mapping m : ProcMaps.read(Path.of("/proc/self"))) {
        if (m.executable() && m.isFile()) {
          MappedModule module = map.find(m.start());
          assertEquals(m.path(), module.path());
          assertEquals("", module.why(), m.path());
        }
      }
      assertNotEquals(0, map.named("libjvm.so").addressOf("gHotSpotVMStructs"));
      MappedModule libc = map.named("libc.so.6");
      assertTrue(libc.isLibc());
      assertEquals("malloc", Symbols.at(libc, libc.addressOf("malloc")));
      MappedModule vdso = map.named("[vdso]");
      assertEquals(ImageOrigin.MEMORY, vdso.origin());
      assertTrue(
          Symbols.at(vdso, vdso.addressOf("__vdso_clock_gettime")).contains("clock_gettime"));
      for (MappedModule module : map.modules()) {
        assertTrue(module.unwindTable().functionCount() > 0, module.name());
      }
    }
  }
}
