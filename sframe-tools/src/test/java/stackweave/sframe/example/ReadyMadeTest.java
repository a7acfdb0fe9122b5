package stackweave.sframe.example;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import stackweave.sframe.writer.SFrameWriter;
import stackweave.unwind.Architecture;
import stackweave.unwind.Location;
import stackweave.unwind.RecordedMemory;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.rule.RuleBuilder;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.walk.ModuleList;

/** Memory, modules and rows for users of the library. */
class ReadyMadeTest {

  @Test
  void recordedMemoryIsReadWithinItsPieces() throws Exception {
    for (ByteOrder order : new ByteOrder[] {ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN}) {
      ByteBuffer piece = ByteBuffer.allocate(24).order(order).putLong(8, 0x0102_0304_0506_0708L);
      RecordedMemory memory =
          new RecordedMemory(order).add(-64, piece).add(0x1000, ByteBuffer.allocate(8));
      assertEquals(0x0102_0304_0506_0708L, memory.readLong(-56));
      assertEquals(0, memory.readLong(0x1000));
      byte[] read = new byte[4];
      memory.read(-64 + 8, read, 1, 2);
      boolean big = order == ByteOrder.BIG_ENDIAN;
      assertArrayEquals(new byte[] {0, (byte) (big ? 1 : 8), (byte) (big ? 2 : 7), 0}, read);
      for (long address : new long[] {-65, -47, -40, 0, 0xfff, 0x1001}) {
        assertThrows(UnreadableMemoryException.class, () -> memory.readLong(address));
      }
      assertThrows(UnreadableMemoryException.class, () -> memory.read(0x1007, read, 0, 2));
    }
  }

  @Test
  void modulesAreFoundByTheirRanges() {
    UnwindTable table = address -> UnwindTable.NO_RULE;
    ModuleList modules = new ModuleList().add(0x1000, 0x2000, 0x500, table);
    int generation = modules.generation();
    modules.add(-0x1000, -1, 0, table);
    assertNotEquals(generation, modules.generation());
    assertEquals(0x500, modules.find(0x1000).bias());
    assertEquals(0x500, modules.find(0x1fff).bias());
    assertEquals(0, modules.find(-2).bias());
    for (long pc : new long[] {0, 0xfff, 0x2000, -1, -0x1001}) {
      assertNull(modules.find(pc));
    }
    assertThrows(IllegalArgumentException.class, () -> modules.add(0x1fff, 0x3000, 0, table));
    assertThrows(IllegalArgumentException.class, () -> modules.add(0x3000, 0x3000, 0, table));
    generation = modules.generation();
    modules.clear();
    assertNotEquals(generation, modules.generation());
    assertNull(modules.find(0x1000));
  }

  @Test
  void writerRefusesWhatIsNoFunction() {
    RuleTable rules = new RuleTable(Architecture.X86_64);
    RuleBuilder rule = new RuleBuilder(Architecture.X86_64);
    rule.setCfa(Architecture.X86_64.sp(), 8);
    rule.ra = Location.atCfa(-8);
    int id = rules.intern(rule);
    SFrameWriter writer = new SFrameWriter(rules, 3, ByteOrder.LITTLE_ENDIAN);
    assertRefused(writer, -1, new int[] {0}, id);
    assertRefused(writer, 1L << 32, new int[] {0}, id);
    assertRefused(writer, 8, new int[] {0, 0}, id);
    assertRefused(writer, 8, new int[] {4, 2}, id);
    assertRefused(writer, 8, new int[] {0}, UnwindTable.NO_RULE);
    assertRefused(writer, 8, new int[] {0}, rules.size());
    assertEquals(0, writer.functionCount());
    assertThrows(
        IllegalArgumentException.class, () -> new SFrameWriter(rules, 3, ByteOrder.BIG_ENDIAN));
  }

  private static void assertRefused(SFrameWriter writer, long size, int[] offsets, int id) {
    int[] ids = {id, id};
    assertThrows(
        IllegalArgumentException.class,
        () -> writer.add(0x1000, size, offsets, ids, offsets.length));
  }
}
