package stackweave.linux;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.ProcessMemory.Way;
import stackweave.unwind.UnreadableMemoryException;

class ProcessMemoryTest {

  @ParameterizedTest
  @EnumSource(names = {"PROCESS_VM_READV", "PROC_SELF_MEM"})
  void readsWhatIsThere(Way way) throws Exception {
    byte[] expected = new byte[150_000];
    new Random(1).nextBytes(expected);
    try (ProcessMemory memory = new ProcessMemory(way);
        NativeBuffer buffer = NativeBuffer.allocate(expected.length)) {
      buffer.bytes().put(0, expected);

      byte[] whole = new byte[expected.length];
      memory.read(buffer.address(), whole, 0, whole.length);
      assertArrayEquals(expected, whole);
      assertEquals(buffer.bytes().getLong(4099), memory.readLong(buffer.address() + 4099));
      assertEquals(way, memory.way());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"PROCESS_VM_READV", "PROC_SELF_MEM"})
  void memoryThatIsGoneIsUnreadable(Way way) {
    try (ProcessMemory memory = new ProcessMemory(way)) {
      NativeBuffer buffer = NativeBuffer.allocate(4096);
      buffer.close();
      for (long address : new long[] {0, 8, buffer.address(), Long.MIN_VALUE, -8}) {
        assertThrows(
            UnreadableMemoryException.class,
            () -> memory.readLong(address),
            () -> "0x" + Long.toHexString(address));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"PROCESS_VM_READV", "PROC_SELF_MEM"})
  void aReadOverTheEndOfAMappingIsUnreadable(Way way) {
    NativeBuffer two = NativeBuffer.allocate(8192);
    try (ProcessMemory memory = new ProcessMemory(way)) {
      // The upper page goes; the lower one stays.
      assertEquals(0, Libc.munmap(two.address() + 4096, 4096));
      byte[] target = new byte[64];
      assertThrows(
          UnreadableMemoryException.class,
          () -> memory.read(two.address() + 4096 - 32, target, 0, 64));
      assertThrows(
          UnreadableMemoryException.class, () -> memory.readLong(two.address() + 4096 - 4));
    } finally {
      Libc.munmap(two.address(), 4096);
    }
  }

  /** A filter that comes later is as one that is there: the user's word counts under it, too. */
  @Test
  void whatTheUserHasVouchedForIsNotGuarded() {
    try (ProcessMemory asked =
        new ProcessMemory(SampledProcess.OWN, MemoryAccess.PROCESS_VM_READV)) {
      asked.guard();
      assertEquals(Way.PROCESS_VM_READV, asked.way());
      assertFalse(asked.isGuarded());
    }
    try (ProcessMemory usual = new ProcessMemory(SampledProcess.OWN, MemoryAccess.AUTO)) {
      usual.guard();
      assertEquals(Way.PROC_SELF_MEM, usual.way());
      assertTrue(usual.isGuarded());
    }
  }

  /** As in a process that has no descriptor left for a while. */
  @Test
  void aFileThatCannotBeOpenedIsTriedAgainAfterASecond(@TempDir Path directory) throws Exception {
    long[] now = {Long.MAX_VALUE};
    Path file = directory.resolve("mem");
    try (ProcessMemory memory =
            new ProcessMemory(Way.PROCESS_VM_READV, file.toString(), () -> now[0]);
        NativeBuffer buffer = NativeBuffer.allocate(4096)) {
      buffer.bytes().putLong(8, 4711);
      memory.guard();
      assertEquals(Way.NONE, memory.way());
      assertTrue(memory.denial().endsWith("mem [ENOENT]"), memory.denial());
      Files.createSymbolicLink(file, Path.of("/proc/self/mem"));
      now[0] += 999_999_999;
      assertThrows(UnreadableMemoryException.class, () -> memory.readLong(buffer.address() + 8));
      now[0]++;
      assertEquals(4711, memory.readLong(buffer.address() + 8));
      assertEquals(Way.PROC_SELF_MEM, memory.way());
      assertEquals("", memory.denial());
      assertTrue(memory.isGuarded());
    }
  }

  @Test
  void whatIsClosedIsNotOpenedAgain(@TempDir Path directory) throws Exception {
    long[] now = {0};
    Path file = directory.resolve("mem");
    ProcessMemory memory = new ProcessMemory(Way.PROC_SELF_MEM, file.toString(), () -> now[0]);
    memory.close();
    Files.createSymbolicLink(file, Path.of("/proc/self/mem"));
    now[0] = 10_000_000_000L;
    assertThrows(UnreadableMemoryException.class, () -> memory.readLong(0x1000));
    assertEquals(Way.NONE, memory.way());
  }

  @ParameterizedTest
  @EnumSource(names = {"PROCESS_VM_READV", "PROC_SELF_MEM"})
  void afterCloseEverythingIsUnreadable(Way way) {
    ProcessMemory memory = new ProcessMemory(way);
    memory.close();
    memory.close();
    assertEquals(Way.NONE, memory.way());
    assertThrows(UnreadableMemoryException.class, () -> memory.readLong(0x1000));
  }
}
