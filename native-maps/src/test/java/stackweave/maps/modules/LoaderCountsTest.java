package stackweave.maps.modules;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.maps.SelfMemory;
import stackweave.testing.Gcc;
import stackweave.unwind.Architecture;
import stackweave.unwind.rule.RuleTable;

/** The counters of this process's loader, compared with what the C library says of them. */
class LoaderCountsTest {
  private static final String PROBE =
      """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <link.h>
      static long numbers[2];
      static int first(struct dl_phdr_info *info, size_t size, void *data) {
        numbers[0] = info->dlpi_adds;
        numbers[1] = info->dlpi_subs;
        return 1;
      }
      long Java_stackweave_maps_modules_LoaderCountsTest_counter(void *env, void *self, int which) {
        dl_iterate_phdr(first, 0);
        return numbers[which];
      }
      long Java_stackweave_maps_modules_LoaderCountsTest_loadAndUnload(void *env, void *self) {
        void *handle = dlopen(OTHER, RTLD_NOW);
        return handle ? dlclose(handle) : -1;
      }
      """;

  @TempDir Path directory;

  private static native long counter(int which);

  private static native long loadAndUnload();

  @Test
  void theyAreThoseOfTheCLibrary() throws Exception {
    Path other = Gcc.library(directory, "other", "int f(int x) { return x; }");
    String source = PROBE.replace("OTHER", '"' + other.toString() + '"');
    System.load(Gcc.library(directory, "probe", source).toString());
    try (SelfMemory memory = new SelfMemory()) {
      ModuleIndex index = new ModuleIndex(memory, new RuleTable(Architecture.X86_64));
      index.refresh(System.nanoTime());
      LoaderCounts counts = LoaderCounts.find(index.latest(), memory);
      assertNotNull(counts);
      assertEquals(counter(0), counts.adds());
      assertEquals(counter(0) - counter(1), counts.loaded());
      long adds = counts.adds();
      int loaded = counts.loaded();
      assertEquals(0, loadAndUnload());
      assertTrue(counts.read());
      assertAll(
          () -> assertEquals(adds + 1, counts.adds()),
          () -> assertEquals(counter(0), counts.adds()),
          () -> assertEquals(loaded, counts.loaded()));
    }
  }

  @Test
  void whatIsNoLoaderHasNone() throws Exception {
    try (SelfMemory memory = new SelfMemory()) {
      ModuleIndex index = new ModuleIndex(memory, new RuleTable(Architecture.X86_64));
      index.refresh(System.nanoTime());
      long vm = index.latest().named("libjvm.so").addressOf("gHotSpotVMStructs");
      assertNull(LoaderCounts.find(vm, memory));
      assertNull(LoaderCounts.find(16, memory));
    }
  }
}
