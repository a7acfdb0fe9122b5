package stackweave.hotspot.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/** What a page is used for, on memory that changes under it. */
class MemoryPagesTest {
  private static final long BASE = 0x7000_0000_0000L;

  private final ByteBuffer content = ByteBuffer.allocate(4 * 4096).order(ByteOrder.LITTLE_ENDIAN);
  private int reads;

  private final MemoryPages pages =
      new MemoryPages(
          new MemoryReader() {
            @Override
            public long readLong(long address) {
              throw new AssertionError("pages only");
            }

            @Override
            public void read(long address, byte[] target, int offset, int length)
                throws UnreadableMemoryException {
              if (address < BASE || address + length > BASE + content.capacity()) {
                throw UnreadableMemoryException.UNREADABLE;
              }
              reads++;
              content.get((int) (address - BASE), target, offset, length);
            }
          });

  private long read(int offset) throws UnreadableMemoryException {
    return pages.readLong(BASE + offset);
  }

  @Test
  void samplesTakenBeforeThePageWasReadShareIt() throws UnreadableMemoryException {
    content.putLong(8, 1);
    long before = System.nanoTime();
    pages.begin(before - 1_000);
    assertEquals(1, read(8));
    pages.begin(before - 500);
    assertEquals(1, read(8));
    assertEquals(0, read(16));
    assertEquals(1, reads);
  }

  @Test
  void noSampleSeesAPageFromBeforeIt() throws UnreadableMemoryException {
    content.putLong(8, 1);
    pages.begin(System.nanoTime() - 1_000);
    assertEquals(1, read(8));
    content.putLong(8, 2);
    pages.begin(System.nanoTime());
    assertEquals(2, read(8));
    assertEquals(2, reads);
  }

  @Test
  void aSampleOfThisMomentSeesOnlyWhatIsReadForIt() throws UnreadableMemoryException {
    content.putLong(8, 1);
    pages.begin(Long.MAX_VALUE);
    assertEquals(1, read(8));
    assertEquals(1, read(8));
    assertEquals(1, reads);
    content.putLong(8, 2);
    pages.begin(Long.MAX_VALUE);
    assertEquals(2, read(8));
  }

  @Test
  void anUnloadingOfClassesMakesAllPagesVoid() throws UnreadableMemoryException {
    content.putLong(8, 1);
    pages.begin(0);
    assertEquals(1, read(8));
    content.putLong(8, 2);
    assertEquals(1, read(8));
    pages.clear();
    assertEquals(2, read(8));
  }

  @Test
  void wordsAndRangesMayCrossPages() throws UnreadableMemoryException {
    content.putLong(4092, 0x8877_6655_4433_2211L);
    for (int i = 0; i < 5000; i++) {
      content.put(8000 + i, (byte) i);
    }
    pages.begin(0);
    assertEquals(0x8877_6655_4433_2211L, read(4092));
    byte[] range = new byte[5002];
    pages.read(BASE + 8000, range, 1, 5000);
    for (int i = 0; i < 5000; i++) {
      assertEquals((byte) i, range[i + 1]);
    }
    assertEquals(0, range[0]);
    assertEquals(0, range[5001]);
    assertEquals(4, reads);
  }

  @Test
  void wordsAreThoseOfTheProcess() throws UnreadableMemoryException {
    pages.begin(0);
    for (int shift = 0; shift < 64; shift++) {
      content.putLong(24, 1L << shift);
      pages.clear();
      assertEquals(1L << shift, read(24));
    }
    content.putLong(24, -2);
    pages.clear();
    assertEquals(-2, read(24));
  }

  @Test
  void aPageThatCannotBeReadIsTriedAgain() throws UnreadableMemoryException {
    pages.begin(0);
    assertEquals(0, read(0));
    assertThrows(UnreadableMemoryException.class, () -> read(-8));
    assertThrows(UnreadableMemoryException.class, () -> read(content.capacity()));
    assertThrows(UnreadableMemoryException.class, () -> read(content.capacity() - 4));
    assertEquals(0, read(content.capacity() - 8));
  }
}
