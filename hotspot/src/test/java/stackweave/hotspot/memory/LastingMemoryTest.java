package stackweave.hotspot.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/** Nothing outside of what was declared, or behind what is committed, is ever read directly. */
class LastingMemoryTest {
  private static final long LOW = 0x7f00_0000_0000L;
  private static final long LIMIT = LOW + 0x10000;
  private static final long COMMITTED_AT = 0x5555_0000L;

  private long committed = LOW + 0x1000;

  private final DirectMemory direct =
      new DirectMemory() {
        @Override
        public long readLong(long address) {
          if (address == COMMITTED_AT) {
            return committed;
          }
          return 1;
        }

        @Override
        public void read(long address, byte[] target, int offset, int length) {
          target[offset] = 1;
        }
      };

  private final MemoryReader kernel =
      new MemoryReader() {
        @Override
        public long readLong(long address) {
          return 2;
        }

        @Override
        public void read(long address, byte[] target, int offset, int length) {
          target[offset] = 2;
        }
      };

  private final LastingMemory memory = new LastingMemory(direct, kernel);

  LastingMemoryTest() {
    memory.addRegion(LOW, LIMIT, COMMITTED_AT);
  }

  private int read(long address, int length) throws UnreadableMemoryException {
    byte[] target = new byte[length];
    memory.read(address, target, 0, length);
    return target[0];
  }

  @Test
  void onlyTheCommittedPartIsReadDirectly() throws UnreadableMemoryException {
    assertEquals(1, read(LOW, 16));
    assertEquals(1, read(LOW + 0xff0, 16));
    assertEquals(2, read(LOW + 0xff1, 16));
    assertEquals(2, read(LOW - 1, 2));
    assertEquals(2, read(LOW + 0x1000, 1));
    assertEquals(1, memory.readLong(LOW + 0xff8));
    assertEquals(2, memory.readLong(LOW + 0xff9));
    assertEquals(2, memory.readLong(0));
    assertEquals(2, memory.readLong(-8));
  }

  @Test
  void whatIsCommittedLaterIsSeen() throws UnreadableMemoryException {
    assertEquals(2, read(LOW + 0x1000, 16));
    committed = LOW + 0x2000;
    assertEquals(1, read(LOW + 0x1000, 16));
  }

  @Test
  void nothingBehindTheReservedPartIsBelieved() throws UnreadableMemoryException {
    committed = LIMIT + 0x5000;
    assertEquals(1, read(LIMIT - 16, 16));
    assertEquals(2, read(LIMIT - 8, 16));
    assertEquals(2, read(LIMIT, 8));
  }

  @Test
  void lengthsThatWrapAreLeftToTheKernel() throws UnreadableMemoryException {
    memory.addRegion(-0x2000, -0x10, COMMITTED_AT);
    committed = -0x1000;
    assertEquals(2, read(-0x18, 0x40));
  }

  @Test
  void wordsAreReadAsWordsOnly() throws UnreadableMemoryException {
    memory.addWord(0x1238);
    assertEquals(1, memory.readLong(0x1238));
    assertEquals(2, memory.readLong(0x1230));
    assertEquals(2, read(0x1238, 8));
  }

  @Test
  void withoutDirectMemoryTheKernelReadsAll() throws UnreadableMemoryException {
    LastingMemory kept = new LastingMemory(null, kernel);
    kept.addRegion(LOW, LIMIT, COMMITTED_AT);
    kept.addWord(0x1238);
    assertEquals(2, kept.readLong(0x1238));
    assertEquals(2, kept.readLong(LOW));
  }
}
