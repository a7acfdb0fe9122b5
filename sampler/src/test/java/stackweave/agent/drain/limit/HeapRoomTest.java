package stackweave.agent.drain.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HeapRoomTest implements HeapRoom.Heap {
  private static final long MIB = 1L << 20;
  private static final long SECOND = 1_000_000_000L;

  private long maxBytes = 256 * MIB;
  private long usedBytes;

  @Override
  public long maxBytes() {
    return maxBytes;
  }

  @Override
  public long usedBytes() {
    return usedBytes;
  }

  /** An eighth of the heap has to be free, 128 MiB at most. */
  @ParameterizedTest
  @CsvSource({"64, 56", "128, 112", "256, 224", "1024, 896", "8192, 8064"})
  void samplingBeginsWhereTwiceTheCachesAreFree(long max, long mostUsed) {
    maxBytes = max * MIB;
    HeapRoom room = new HeapRoom(this);
    usedBytes = mostUsed * MIB;
    assertTrue(room.mayBegin());
    usedBytes++;
    assertFalse(room.mayBegin());
  }

  @Test
  void itEndsWhereCollectionsLeaveLessThanTheCaches() {
    HeapRoom room = new HeapRoom(this);
    room.begin(0);
    assertFalse(passSecond(room, 0, 239, 256), "16 MiB and more are left by collections");
    assertFalse(passSecond(room, SECOND, 240, 256));
    assertTrue(passSecond(room, 2 * SECOND, 241, 256));
    assertEquals(
        "the heap of 256 MiB has 15 MiB left, and sampling needs 32 to begin and 16 after a"
            + " collection to go on; a larger -Xmx helps",
        room.whyNot());
  }

  @Test
  void whatIsNotCollectedMayBeGarbage() {
    HeapRoom room = new HeapRoom(this);
    room.begin(0);
    for (int second = 0; second < 10; second++) {
      usedBytes = (245 + second) * MIB;
      assertFalse(room.mustEnd(second * SECOND));
    }
    // One fall may be the end of a collection whose begin was not seen.
    usedBytes = 250 * MIB;
    assertFalse(room.mustEnd(11 * SECOND));
    usedBytes = 255 * MIB;
    assertFalse(room.mustEnd(12 * SECOND));
    usedBytes = 250 * MIB;
    assertTrue(room.mustEnd(13 * SECOND));
  }

  /** Four collections in a second, looked at every 25 ms. */
  private boolean passSecond(HeapRoom room, long from, long lowest, long highest) {
    boolean mustEnd = false;
    for (int look = 0; look <= 40; look++) {
      usedBytes = (lowest + (highest - lowest) * (look % 10) / 9) * MIB;
      mustEnd |= room.mustEnd(from + look * SECOND / 40);
    }
    return mustEnd;
  }
}
