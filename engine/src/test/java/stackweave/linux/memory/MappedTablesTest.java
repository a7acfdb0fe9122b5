package stackweave.linux.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import org.junit.jupiter.api.Test;

class MappedTablesTest {
  private static final int BYTES = 1 << 20;

  @Test
  void largeOnesLieOutsideOfTheHeap() {
    try (MappedTables tables = new MappedTables()) {
      ByteBuffer large = tables.allocate(BYTES);
      assertTrue(large.isDirect());
      assertEquals(BYTES, large.capacity());
      assertEquals(ByteOrder.BIG_ENDIAN, large.order());
      assertEquals(0, large.getLong(BYTES - 8));
      assertFalse(tables.allocate(100).isDirect());
      assertEquals(BYTES, tables.bytes());
      tables.release(large);
      tables.release(tables.allocate(100));
      tables.release(null);
      assertEquals(0, tables.bytes());
    }
  }

  @Test
  void anyNumberOfFilesHasNoRoom() {
    try (MappedTables tables = new MappedTables()) {
      int file = 64 << 20;
      ByteBuffer last = null;
      for (int i = 0; i < 4; i++) {
        assertTrue(tables.hasRoom(file));
        last = tables.allocate(file);
      }
      assertFalse(tables.hasRoom(1));
      tables.release(last);
      assertTrue(tables.hasRoom(file));
    }
  }

  @Test
  void aViewKeepsThem() throws InterruptedException {
    try (MappedTables tables = new MappedTables()) {
      IntBuffer view = tables.allocate(BYTES).asIntBuffer();
      view.put(BYTES / 4 - 1, 7);
      tables.allocate(BYTES);
      collectUntil(tables, BYTES);
      assertEquals(7, view.get(BYTES / 4 - 1));
    }
  }

  private static void collectUntil(MappedTables tables, long bytes) throws InterruptedException {
    long end = System.nanoTime() + 120_000_000_000L;
    while (tables.bytes() > bytes && System.nanoTime() - end < 0) {
      System.gc();
      Thread.sleep(20);
      tables.allocate(0);
    }
    assertEquals(bytes, tables.bytes());
  }
}
