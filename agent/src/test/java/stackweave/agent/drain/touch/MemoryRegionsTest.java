package stackweave.agent.drain.touch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import stackweave.agent.linux.NativeBuffer;
import stackweave.maps.proc.Mapping;
import stackweave.maps.proc.ProcMaps;

class MemoryRegionsTest {

  /** Compared with the lines of /proc/self/maps. */
  @Test
  void filesAreNoNativeMemory() throws Exception {
    MemoryRegions regions = new MemoryRegions(0, 0);
    int files = 0;
    for (Mapping mapping : ProcMaps.read(Path.of("/proc/self"))) {
      if (mapping.path().contains(".so")) {
        files++;
        assertFalse(regions.isNative(mapping.start()), mapping.toString());
        assertFalse(regions.isNative(mapping.end() - 1), mapping.toString());
      }
    }
    assertTrue(files > 3, "files: " + files);
    try (NativeBuffer own = NativeBuffer.allocate(64)) {
      assertTrue(regions.isNative(own.address()));
      assertFalse(
          new MemoryRegions(own.address() & -4096, own.address() + 64).isNative(own.address()));
    }
  }

  @Test
  void pagesWithoutMemoryAreNotPresent() {
    try (PagePresence presence = new PagePresence();
        NativeBuffer own = NativeBuffer.allocate(64)) {
      own.bytes().putLong(0, 1);
      assertTrue(presence.isKnown());
      assertTrue(presence.isPresent(own.address() >>> 12));
      assertFalse(presence.isPresent(1), "the second page of the address space");
      assertEquals(true, presence.isPresent(-1), "what can't be told");
    }
  }
}
