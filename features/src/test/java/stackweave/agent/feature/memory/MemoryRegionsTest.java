package stackweave.agent.feature.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.feature.memory.MemoryRegions.Kind;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.NativeBuffer;
import stackweave.maps.proc.Mapping;
import stackweave.maps.proc.ProcMaps;

class MemoryRegionsTest {

  /** Compared with the lines of /proc/self/maps. */
  @Test
  void filesAreNoNativeMemory() throws Exception {
    MemoryRegions regions = new MemoryRegions(SampledProcess.OWN, 0, 0);
    int files = 0;
    for (Mapping mapping : ProcMaps.read(Path.of("/proc/self"))) {
      if (mapping.path().contains(".so")) {
        files++;
        assertEquals(Kind.OTHER, regions.of(mapping.start()), mapping.toString());
        assertEquals(Kind.OTHER, regions.of(mapping.end() - 1), mapping.toString());
      }
    }
    assertTrue(files > 3, "files: " + files);
    try (NativeBuffer own = NativeBuffer.allocate(64)) {
      assertEquals(Kind.NATIVE, new MemoryRegions(SampledProcess.OWN, 0, 0).of(own.address()));
      assertEquals(
          Kind.OTHER,
          new MemoryRegions(SampledProcess.OWN, own.address() & -4096, own.address() + 64)
              .of(own.address()));
    }
  }

  /** Pages that are mapped from a file say so, whatever the regions know. */
  @Test
  void pagesOfFilesAreTold(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("pages");
    try (PageScan scan = new PageScan(SampledProcess.OWN);
        FileChannel channel =
            FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
      MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 8192);
      mapped.put(0, (byte) 1);
      long page = Pointer.nativeValue(Native.getDirectBufferPointer(mapped)) >>> 12;
      assertEquals(PageScan.Memory.OF_FILE, scan.memoryOf(page));
      assertEquals(PageScan.Memory.ABSENT, scan.memoryOf(page + 1));
    }
    try (PageScan scan = new PageScan(SampledProcess.OWN);
        NativeBuffer own = NativeBuffer.allocate(64)) {
      own.bytes().putLong(0, 1);
      assertEquals(PageScan.Memory.PRIVATE, scan.memoryOf(own.address() >>> 12));
    }
  }

  @Test
  void pagesWithoutMemoryAreNotPresent() {
    try (PageScan scan = new PageScan(SampledProcess.OWN);
        NativeBuffer own = NativeBuffer.allocate(64)) {
      own.bytes().putLong(0, 1);
      assertTrue(scan.isMemoryKnown());
      assertTrue(scan.isPresent(own.address() >>> 12));
      assertFalse(scan.isPresent(1), "the second page of the address space");
      assertEquals(true, scan.isPresent(-1), "what can't be told");
    }
  }
}
