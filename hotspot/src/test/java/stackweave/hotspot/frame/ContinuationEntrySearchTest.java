package stackweave.hotspot.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.hotspot.cpu.x86.HotSpotConventions;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.unwind.Architecture;
import stackweave.unwind.Registers;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.snapshot.StackSnapshot;

/** Which of the entries on a stack is that of the innermost continuation. */
class ContinuationEntrySearchTest {
  private static final long SP = 0x7f00_0000_1000L;
  private static final long RUN = 0x7f11_2222_3333L;
  private static final int WORDS = 200;
  private static final int SIZE = 64;
  private static final int PARENT = 8;
  private static final int RBX = 3;
  private static final long NONE = 0;

  private static final long VIRTUAL_THREAD = 1;
  private static final long OTHER = 0;

  private final StackSnapshot sample = new StackSnapshot(Architecture.X86_64);
  private final ByteBuffer stack =
      ByteBuffer.wrap(sample.stackBytes()).order(ByteOrder.LITTLE_ENDIAN);
  private int copied = WORDS * Long.BYTES;

  @Test
  void theOnlyOne() throws Exception {
    entry(40, NONE, 0x8000, VIRTUAL_THREAD);
    assertEquals(new ContinuationEntry(at(40), NONE, 0x8000, 1), search());
  }

  @Test
  void noneAtAll() {
    assertEquals(
        StopReason.TRUNCATED, assertThrows(UnreadableMemoryException.class, this::search).reason());
  }

  /** The room has 58 words; up to the entry there are some more. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  void whatWasLeftInTheRoomIsNone(int words) throws Exception {
    entry(10, NONE, 0x9000, OTHER);
    entry(58 + words, NONE, 0x8000, VIRTUAL_THREAD);
    room(58 * Long.BYTES);
    assertEquals(at(58 + words), search().address());
  }

  /** One that leads to that which is alive, as its parent once was there. */
  @Test
  void whatEndedWithinTheSameIsNone() throws Exception {
    entry(8, at(80), 0x9000, OTHER);
    entry(80, NONE, 0x8000, VIRTUAL_THREAD);
    room(78 * Long.BYTES);
    assertEquals(at(80), search().address());
  }

  @Test
  void itsParentIsFurtherOut() throws Exception {
    entry(50, at(90), 0xa000, OTHER);
    entry(90, NONE, 0x8000, VIRTUAL_THREAD);
    room(50 * Long.BYTES);
    assertEquals(at(50), search().address());
  }

  /** The register has something else before there is a room, and by chance leads to a parent. */
  @Test
  void beforeThereIsARoom() throws Exception {
    entry(2, at(60), 0x9000, OTHER);
    entry(60, NONE, 0x8000, VIRTUAL_THREAD);
    room(58 * Long.BYTES);
    assertEquals(at(2), search().address());
  }

  /** At those that are large a stack would be read beyond its copy. */
  @ParameterizedTest
  @ValueSource(longs = {0, 7, -64, 1L << 19, 1L << 40, Long.MIN_VALUE})
  void theRegisterHasNoSize(long other) throws Exception {
    entry(60, NONE, 0x8000, VIRTUAL_THREAD);
    room(other);
    assertEquals(at(60), search().address());
  }

  @Test
  void withoutARegisterThatKeepsItsSize() throws Exception {
    entry(60, NONE, 0x8000, VIRTUAL_THREAD);
    assertEquals(at(60), search().address());
  }

  /** Of a thread that ran here before, or of none: neither leads to the one that is alive. */
  @ParameterizedTest
  @ValueSource(longs = {OTHER, VIRTUAL_THREAD})
  void withoutTheSizeRemaindersLeadNowhere(long flags) throws Exception {
    entry(10, NONE, 0x9000, flags);
    entry(30, at(20), 0xa000, flags);
    entry(60, NONE, 0x8000, VIRTUAL_THREAD);
    assertEquals(at(60), search().address());
  }

  /** What lies between the two is of a frame, and was never cleared. */
  @Test
  void withoutTheSizeTheInnermostLeadsToItsParent() throws Exception {
    entry(20, at(60), 0xa000, OTHER);
    entry(40, NONE, 0x9000, OTHER);
    entry(60, NONE, 0x8000, VIRTUAL_THREAD);
    assertEquals(at(20), search().address());
  }

  /** Then the register is the application's. */
  @Test
  void whereNoRoomIsMadeItIsTheFirst() throws Exception {
    entry(2, NONE, 0x9000, VIRTUAL_THREAD);
    entry(60, NONE, 0x8000, VIRTUAL_THREAD);
    room(60 * Long.BYTES);
    assertEquals(at(2), search(sample, copied, false).address());
  }

  /** Flags that no entry has, and a parent below it. */
  @Test
  void whatCannotBeOneIsNone() throws Exception {
    entry(10, NONE, 0x9000, 77);
    entry(30, SP, 0x9000, OTHER);
    entry(50, NONE, 0x9001, OTHER);
    entry(90, NONE, 0x8000, VIRTUAL_THREAD);
    assertEquals(at(90), search().address());
  }

  @Test
  void theCopyEndsWithinIt() {
    entry(40, NONE, 0x8000, VIRTUAL_THREAD);
    copied = 40 * Long.BYTES + SIZE;
    assertThrows(UnreadableMemoryException.class, this::search);
  }

  /** What is left in the room is nearer, and would be the wrong one. */
  @Test
  void theCopyEndsWithinTheRoom() {
    entry(10, NONE, 0x9000, VIRTUAL_THREAD);
    room(60 * Long.BYTES);
    copied = 40 * Long.BYTES;
    assertEquals(
        StopReason.TRUNCATED, assertThrows(UnreadableMemoryException.class, this::search).reason());
  }

  /** Its copy is larger than a search goes far. */
  @Test
  void noneNear() throws Exception {
    StackSnapshot large = new StackSnapshot(Architecture.X86_64, 1 << 20);
    large.stackBytes(1 << 20);
    assertNull(search(large, 1 << 20, true));
  }

  private void room(long bytes) {
    sample.registers().set(RBX, bytes);
  }

  private ContinuationEntry search() throws UnreadableMemoryException {
    return search(sample, copied, true);
  }

  private static ContinuationEntry search(StackSnapshot sample, int copied, boolean isBusy)
      throws UnreadableMemoryException {
    sample.setStack(SP, copied);
    sample.registers().setPc(1);
    sample.registers().set(Architecture.X86_64.sp(), SP);
    Walk walk =
        new Walk(new Registers(Architecture.X86_64), new HotSpotConventions(), 0, null, null, null);
    walk.begin(sample, null, new FrameBuffer(1));
    return new ContinuationEntrySearch(SIZE, PARENT, (of, pc, fp) -> pc == RUN)
        .search(walk, isBusy);
  }

  private static long at(int word) {
    return SP + (long) word * Long.BYTES;
  }

  /** As it is on JDK 21 to 26, with Continuation.run's frame behind it. */
  private void entry(int word, long parent, long continuation, long flags) {
    int offset = word * Long.BYTES;
    stack.putLong(offset + PARENT, parent);
    stack.putLong(offset + PARENT + 8, continuation);
    stack.putLong(offset + PARENT + 24, flags);
    stack.putLong(offset + SIZE, at(word) + 200);
    stack.putLong(offset + SIZE + Long.BYTES, RUN);
  }
}
