package stackweave.unwind.snapshot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.api.Test;
import stackweave.unwind.Architecture;

/** What was put in comes out, in order, however much waits. */
class SnapshotQueueTest {
  private static final int MOST_BYTES = 1 << 20;
  private static final long STACK = 0x7fff_1234_5678L;
  private static final long OLDER = 0x7fff_2000_0000L;

  private final SnapshotQueue queue = new SnapshotQueue(MOST_BYTES);
  private final StackSnapshot in = new StackSnapshot(Architecture.X86_64);
  private final StackSnapshot out = new StackSnapshot(Architecture.X86_64);

  /** A sample all parts of which follow from a seed. */
  private static void fill(StackSnapshot snapshot, long seed) {
    Random random = new Random(seed);
    snapshot.clear();
    snapshot.setTid((int) seed);
    snapshot.setTimeNanos(1_000 + seed);
    snapshot.setWeightNanos(random.nextInt());
    snapshot.registers().setPc(random.nextLong());
    snapshot.setHasRegisters(random.nextInt(8) > 0);
    for (int i = 0; i < Architecture.X86_64.registerCount(); i++) {
      if (snapshot.hasRegisters() && random.nextInt(8) > 0) {
        snapshot.registers().set(i, random.nextLong());
      }
    }
    int frames = random.nextInt(StackSnapshot.MAX_KERNEL_FRAMES);
    for (int i = 0; i < frames; i++) {
      snapshot.kernelFrames()[i] = random.nextLong();
    }
    snapshot.setKernelFrameCount(frames);
    byte[] stack = new byte[random.nextInt(StackSnapshot.MAX_STACK_BYTES) & -8];
    random.nextBytes(stack);
    System.arraycopy(stack, 0, snapshot.stackBytes(), 0, stack.length);
    snapshot.setStack(STACK + 8 * seed, stack.length);
    ByteBuffer page = ByteBuffer.allocate(OlderCopy.PAGE_BYTES).order(ByteOrder.nativeOrder());
    for (int i = random.nextInt(OlderCopy.MOST_PAGES); i < OlderCopy.MOST_PAGES; i += 7) {
      page.putLong(0, random.nextLong());
      snapshot.olderCopy().add(OLDER + (long) i * OlderCopy.PAGE_BYTES, page, 0);
    }
  }

  private void assertFirstIs(long seed) {
    fill(in, seed);
    assertEquals(in.tid(), queue.tid());
    assertEquals(in.timeNanos(), queue.time());
    assertEquals(in.weightNanos(), queue.weightNanos());
    queue.take(out);
    assertEquals(in.tid(), out.tid());
    assertEquals(in.timeNanos(), out.timeNanos());
    assertEquals(in.weightNanos(), out.weightNanos());
    assertEquals(in.hasRegisters(), out.hasRegisters());
    assertEquals(in.registers().pc(), out.registers().pc());
    for (int i = 0; i < Architecture.X86_64.registerCount(); i++) {
      assertEquals(in.registers().isKnown(i), out.registers().isKnown(i));
      if (in.registers().isKnown(i)) {
        assertEquals(in.registers().get(i), out.registers().get(i));
      }
    }
    assertArrayEquals(
        Arrays.copyOf(in.kernelFrames(), in.kernelFrameCount()),
        Arrays.copyOf(out.kernelFrames(), out.kernelFrameCount()));
    assertEquals(in.stackAddress(), out.stackAddress());
    assertArrayEquals(
        Arrays.copyOf(in.stackBytes(), in.stackLength()),
        Arrays.copyOf(out.stackBytes(), out.stackLength()));
    for (int i = 0; i < OlderCopy.MOST_PAGES; i++) {
      long page = OLDER + (long) i * OlderCopy.PAGE_BYTES;
      boolean isThere = in.olderCopy().has(page, OlderCopy.PAGE_BYTES);
      assertEquals(isThere, out.olderCopy().has(page, OlderCopy.PAGE_BYTES));
      if (isThere) {
        assertEquals(in.olderCopy().getLong(page), out.olderCopy().getLong(page));
      }
    }
  }

  @Test
  void samplesComeOutAsTheyWentIn() {
    Random random = new Random(1);
    Queue<Long> waiting = new ArrayDeque<>();
    for (long seed = 1; seed < 2_000; seed++) {
      fill(in, seed);
      queue.put(in);
      waiting.add(seed);
      while (!waiting.isEmpty() && random.nextInt(8) > (waiting.size() > 6 ? 0 : 4)) {
        assertFirstIs(waiting.remove());
      }
    }
    while (!waiting.isEmpty()) {
      assertFirstIs(waiting.remove());
    }
    assertEquals(0, queue.lost());
    assertEquals(Long.MAX_VALUE, queue.time());
    assertEquals(0, queue.backlog());
  }

  @Test
  void whatFindsNoRoomIsLost() {
    int put = 0;
    for (long seed = 1; queue.lost() == 0; seed++) {
      fill(in, seed);
      queue.put(in);
      put++;
    }
    assertTrue(queue.backlog() > 0.5, "it was nearly full");
    for (long seed = 1; seed < put; seed++) {
      assertFirstIs(seed);
    }
    assertEquals(Long.MAX_VALUE, queue.time());
    fill(in, 7);
    queue.put(in);
    assertFirstIs(7);
    assertEquals(1, queue.lost());
  }

  @Test
  void theHighestStackPointerIsThatOfTheThread() {
    for (long seed : new long[] {3, 9, 5}) {
      fill(in, seed);
      in.setTid(seed == 9 ? 2 : 1);
      queue.put(in);
    }
    assertEquals(STACK + 8 * 5, queue.highestStackPointer(1));
    assertEquals(STACK + 8 * 9, queue.highestStackPointer(2));
    assertEquals(0, queue.highestStackPointer(3));
    queue.take(null);
    queue.take(null);
    assertEquals(0, queue.highestStackPointer(2));
    assertFalse(queue.backlog() == 0);
  }
}
