package stackweave.unwind.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import stackweave.unwind.Architecture;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/** When the older part of a stack is spliced on, and when it is not. */
class OlderStackTest {
  private static final int TID = 42;
  private static final long SP = 0x7f00_0000_1230L;
  private static final int COPIED = 4096;
  private static final int LARGE = 64 << 10;
  private static final int STACK = 600 * 1024;
  private static final long END = SP + STACK;

  /** The live stack, changed by a test as a running thread would; what reads it can be watched. */
  private final byte[] live = new byte[STACK];

  private long readable = END;
  private Runnable afterRead = () -> {};
  private long knownSp;
  private int taken;

  private final MemoryReader memory =
      new MemoryReader() {
        @Override
        public long readLong(long address) throws UnreadableMemoryException {
          throw new AssertionError("words are read in pieces");
        }

        @Override
        public void read(long address, byte[] target, int offset, int length)
            throws UnreadableMemoryException {
          if (address < SP || address + length > readable) {
            throw UnreadableMemoryException.UNREADABLE;
          }
          System.arraycopy(live, (int) (address - SP), target, offset, length);
          afterRead.run();
        }
      };

  private final OlderStack older =
      new OlderStack(memory, tid -> tid == TID ? knownSp : 0, () -> taken++);
  private final StackSnapshot sample = new StackSnapshot(Architecture.X86_64);

  OlderStackTest() {
    for (int at = 0; at < STACK; at += 8) {
      put(at, 0x1000_0000L + at);
    }
  }

  private void put(int offset, long word) {
    ByteBuffer.wrap(live).order(ByteOrder.LITTLE_ENDIAN).putLong(offset, word);
  }

  /** Takes a sample whose walk then reads these words of the copy. */
  private void sample(long stackEnd, int... read) throws UnreadableMemoryException {
    copy(COPIED, stackEnd, read);
  }

  private void copy(int copied, long stackEnd, int... read) throws UnreadableMemoryException {
    sample.clear();
    sample.setTid(TID);
    System.arraycopy(live, 0, sample.stackBytes(), 0, copied);
    sample.setStack(SP, copied);
    older.begin(sample, stackEnd);
    for (int offset : read) {
      assertEquals(0x1000_0000L + offset, sample.readLong(SP + offset));
    }
  }

  private void assertRefused(SpliceOutcome why, int offset) {
    UnreadableMemoryException end =
        assertThrows(UnreadableMemoryException.class, () -> sample.readLong(SP + offset));
    assertSame(UnreadableMemoryException.BEYOND_COPY, end);
    assertEquals(why, older.outcome());
  }

  @Test
  void aSeamThatFitsIsSplicedUpToTheStacksEnd() throws UnreadableMemoryException {
    sample(END, COPIED - 64, COPIED - 16);
    assertEquals(SpliceOutcome.NOT_NEEDED, older.outcome());
    for (int offset = COPIED; offset < STACK; offset += 1000 & -8) {
      assertEquals(0x1000_0000L + offset, sample.readLong(SP + offset));
    }
    assertEquals(SpliceOutcome.TAKEN, older.outcome());
    assertEquals(1, taken, "told once, at the first word");
    UnreadableMemoryException end =
        assertThrows(UnreadableMemoryException.class, () -> sample.readLong(END));
    assertSame(UnreadableMemoryException.BEYOND_COPY, end);
    assertEquals(SpliceOutcome.TAKEN, older.outcome(), "what was read stays");
  }

  @Test
  void bytesAreServedAsWords() throws UnreadableMemoryException {
    sample(END, COPIED - 16);
    byte[] target = new byte[24];
    sample.read(SP + COPIED + 8, target, 8, 16);
    ByteBuffer bytes = ByteBuffer.wrap(target).order(ByteOrder.LITTLE_ENDIAN);
    assertEquals(0x1000_0000L + COPIED + 8, bytes.getLong(8));
    assertEquals(0x1000_0000L + COPIED + 16, bytes.getLong(16));
  }

  @Test
  void aChangedLinkIsRefused() throws UnreadableMemoryException {
    sample(END, COPIED - 64, COPIED - 16);
    put(COPIED - 64, 1);
    assertRefused(SpliceOutcome.LINKS_DIFFER, COPIED);
    assertRefused(SpliceOutcome.LINKS_DIFFER, COPIED + 8);
  }

  @Test
  void aChangedWordBetweenLinksIsRefused() throws UnreadableMemoryException {
    sample(END, COPIED - 64, COPIED - 16);
    put(COPIED - 32, 1);
    assertRefused(SpliceOutcome.FRAMES_DIFFER, COPIED);
  }

  @Test
  void whatChangedBelowTheSeamDoesNotMatter() throws UnreadableMemoryException {
    int[] links = new int[OlderStack.SEAM_LINKS + 1];
    for (int i = 0; i < links.length; i++) {
      links[i] = COPIED - 32 * (links.length - i);
    }
    sample(END, links);
    put(links[0], 1);
    put(0, 1);
    assertEquals(0x1000_0000L + COPIED, sample.readLong(SP + COPIED));
    assertEquals(SpliceOutcome.TAKEN, older.outcome());
  }

  @Test
  void aWalkThatReadNothingHasNoSeam() throws UnreadableMemoryException {
    sample(END);
    assertRefused(SpliceOutcome.NO_SEAM, COPIED);
  }

  @Test
  void wordsReadOfAnEarlierSampleDoNotCount() throws UnreadableMemoryException {
    sample(END, COPIED - 64, COPIED - 16);
    sample(END);
    assertRefused(SpliceOutcome.NO_SEAM, COPIED);
  }

  @Test
  void aSeamThatChangesWhileTheRestIsReadIsRefused() throws UnreadableMemoryException {
    sample(END, COPIED - 64, COPIED - 16);
    int[] reads = {0};
    afterRead =
        () -> {
          if (++reads[0] == 2) { // the first is of the seam, the second of the rest
            put(COPIED - 16, 1);
          }
        };
    assertRefused(SpliceOutcome.CHANGED_MEANWHILE, COPIED);
  }

  @Test
  void aLaterPieceIsCheckedAsTheFirst() throws UnreadableMemoryException {
    sample(END, COPIED - 64, COPIED - 16);
    sample.readLong(SP + COPIED);
    assertEquals(SpliceOutcome.TAKEN, older.outcome());
    put(COPIED - 16, 1);
    assertRefused(SpliceOutcome.LINKS_DIFFER, STACK - 8);
    assertRefused(SpliceOutcome.LINKS_DIFFER, COPIED);
  }

  @Test
  void aThreadKnownToBeShallowerIsRefused() throws UnreadableMemoryException {
    sample(END, COPIED - 64, COPIED - 16);
    knownSp = SP + COPIED - 8;
    assertRefused(SpliceOutcome.RETURNED, COPIED);
  }

  @Test
  void aThreadKnownToBeDeeperIsNot() throws UnreadableMemoryException {
    sample(END, COPIED - 64, COPIED - 16);
    knownSp = SP + COPIED - 16;
    assertEquals(0x1000_0000L + COPIED, sample.readLong(SP + COPIED));
  }

  @Test
  void unreadableMemoryIsRefused() throws UnreadableMemoryException {
    sample(END, COPIED - 64, COPIED - 16);
    readable = SP + COPIED;
    assertRefused(SpliceOutcome.UNREADABLE, COPIED);
    readable = SP;
    sample(END, COPIED - 64, COPIED - 16);
    assertRefused(SpliceOutcome.UNREADABLE, COPIED);
  }

  @Test
  void aStackOfUnknownEndIsReadAsFarAsItGoes() throws UnreadableMemoryException {
    readable = (SP + STACK / 2) & -4096;
    sample(0, COPIED - 64, COPIED - 16);
    for (long address = SP + COPIED; address < readable; address += 8) {
      assertEquals(0x1000_0000L + (address - SP), sample.readLong(address));
    }
    assertThrows(UnreadableMemoryException.class, () -> sample.readLong(readable));
    assertEquals(SpliceOutcome.TAKEN, older.outcome());
  }

  @Test
  void aCopyOfTheWholeStackNeedsNoMore() throws UnreadableMemoryException {
    sample(SP + COPIED, COPIED - 16);
    assertRefused(SpliceOutcome.NOT_NEEDED, COPIED);
  }

  @Test
  void whatWasTakenCanBeRefused() throws UnreadableMemoryException {
    sample(END, COPIED - 16);
    sample.readLong(SP + COPIED);
    older.refuse(SpliceOutcome.NO_ROOT);
    assertRefused(SpliceOutcome.NO_ROOT, COPIED);
  }

  @Test
  void aSeamThatChangesDuringTheWalkIsNotConfirmed() throws UnreadableMemoryException {
    sample(END, COPIED - 64, COPIED - 16);
    sample.readLong(SP + COPIED);
    assertTrue(older.confirm());
    put(COPIED - 32, 1);
    assertFalse(older.confirm());
    assertRefused(SpliceOutcome.CHANGED_MEANWHILE, COPIED);
  }

  @Test
  void theBufferInALargeFrameMayChange() throws UnreadableMemoryException {
    copy(LARGE, END, 64, 128);
    put(136, 1);
    put(LARGE - 8, 1);
    assertEquals(0x1000_0000L + LARGE + 800, sample.readLong(SP + LARGE + 800));
    assertEquals(SpliceOutcome.TAKEN, older.outcome());
    assertTrue(older.isLargeFrame());
    assertEquals(SP + LARGE + 800, older.firstAsked());
    put(1000, 1);
    assertTrue(older.confirm());
  }

  @Test
  void soItMayBetweenTwoWordsOfTheSeam() throws UnreadableMemoryException {
    copy(LARGE, END, 64, LARGE - 16);
    put(4000, 1);
    assertEquals(0x1000_0000L + LARGE, sample.readLong(SP + LARGE));
    assertTrue(older.isLargeFrame());
  }

  @Test
  void aChangedLinkBelowALargeFrameIsRefused() throws UnreadableMemoryException {
    copy(LARGE, END, 64, 128);
    put(64, 1);
    assertRefused(SpliceOutcome.LINKS_DIFFER, LARGE);
  }

  @Test
  void savedRegistersBelowALargeFrameMayChangeUntilTheyAreReliedOn()
      throws UnreadableMemoryException {
    copy(LARGE, END, 64, 128);
    assertEquals(0x1000_0000L + 96, sample.readSaved(SP + 96));
    put(96, 1);
    assertEquals(0x1000_0000L + LARGE, sample.readLong(SP + LARGE));
    assertTrue(older.confirm());
    sample.readLong(SP + 96);
    assertFalse(older.confirm());
  }

  @Test
  void aFunctionWhoseOwnFrameEndsAboveTheCopyHasALargeFrame() throws UnreadableMemoryException {
    copy(LARGE, END);
    assertEquals(0x1000_0000L + LARGE, sample.readLong(SP + LARGE));
    assertTrue(older.isLargeFrame());
  }

  @Test
  void aThreadKnownToBeAboveALargeFrameIsRefused() throws UnreadableMemoryException {
    copy(LARGE, END, 64);
    knownSp = SP + LARGE + 8;
    assertEquals(0x1000_0000L + LARGE + 8, sample.readLong(SP + LARGE + 8), "in that frame still");
    copy(LARGE, END, 64);
    knownSp = SP + LARGE + 16;
    assertRefused(SpliceOutcome.RETURNED, LARGE + 8);
  }

  @Test
  void smallFramesAreComparedAsAWhole() throws UnreadableMemoryException {
    int[] links = new int[COPIED / 2048];
    for (int i = 0; i < links.length; i++) {
      links[i] = 2048 * i + 1024;
    }
    sample(END, links);
    assertEquals(0x1000_0000L + COPIED, sample.readLong(SP + COPIED));
    assertFalse(older.isLargeFrame());
    put(2048, 1);
    assertFalse(older.confirm());
  }

  /** Pages of the stack as they are now, from an offset's page on. */
  private void copyOlder(int offset, int pages) {
    long from = SP + offset & -OlderCopy.PAGE_BYTES;
    for (int i = 0; i < pages; i++) {
      long page = from + (long) i * OlderCopy.PAGE_BYTES;
      sample.olderCopy().add(page, ByteBuffer.wrap(live), (int) (page - SP));
    }
  }

  @Test
  void whatWasCopiedAtTheInterruptIsBelievedWhateverTheThreadDoes()
      throws UnreadableMemoryException {
    sample(END, COPIED - 16);
    copyOlder(10 * COPIED, 3);
    put(COPIED - 16, 1);
    put(10 * COPIED, 1);
    knownSp = END;
    assertEquals(0x1000_0000L + 10 * COPIED, sample.readLong(SP + 10 * COPIED));
    assertEquals(0x1000_0000L + 11 * COPIED, sample.readLong(SP + 11 * COPIED));
    byte[] target = new byte[2 * COPIED];
    sample.read(SP + 10 * COPIED, target, 8, COPIED);
    assertEquals(
        0x1000_0000L + 10 * COPIED + 8,
        ByteBuffer.wrap(target).order(ByteOrder.LITTLE_ENDIAN).getLong(16));
    assertEquals(SpliceOutcome.COPIED, older.outcome());
    assertEquals(SP + 10 * COPIED, older.firstAsked());
    assertEquals(0, taken);
  }

  /** What is read later is of another time. */
  @Test
  void whatWasCopiedIsNotMixedWithWhatIsReadLater() throws UnreadableMemoryException {
    sample(END, COPIED - 16);
    copyOlder(10 * COPIED, 3);
    sample.readLong(SP + 10 * COPIED);
    assertRefused(SpliceOutcome.COPIED, 20 * COPIED);
    assertRefused(SpliceOutcome.COPIED, 5 * COPIED);
    sample(END, COPIED - 16);
    copyOlder(10 * COPIED, 3);
    put(10 * COPIED, 1);
    sample.readLong(SP + 5 * COPIED);
    assertEquals(SpliceOutcome.TAKEN, older.outcome());
    assertEquals(1, sample.readLong(SP + 10 * COPIED));
    assertEquals(SpliceOutcome.TAKEN, older.outcome());
  }

  /** A page that nobody has written was not there. */
  @Test
  void aPageThatWasNotCopiedIsReadLater() throws UnreadableMemoryException {
    sample(END, COPIED - 16);
    copyOlder(10 * COPIED, 1);
    copyOlder(12 * COPIED, 1);
    sample.readLong(SP + 11 * COPIED);
    assertEquals(SpliceOutcome.TAKEN, older.outcome());
    sample(END, COPIED - 16);
    assertFalse(sample.olderCopy().has(SP + 10 * COPIED, 8), "of the sample before");
  }
}
