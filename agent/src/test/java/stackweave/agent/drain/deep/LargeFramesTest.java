package stackweave.agent.drain.deep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;

/** When the callers of a function with a large frame are believed. */
class LargeFramesTest {
  private static final int TID = 7;
  private static final long WORD = 0x7f00_1234_5678L;

  private final LargeFrames large = new LargeFrames();
  private final FrameBuffer frames = new FrameBuffer(64);
  private long now = 1_000_000;

  /** A sample whose word leads to these callers. */
  private boolean look(int tid, long word, long... callers) {
    frames.clear();
    frames.addNative(FrameKind.NATIVE, now, true); // another pc in the function each time
    for (long caller : callers) {
      frames.addNative(FrameKind.NATIVE, caller, false);
    }
    long taken = now + 1_000;
    now += 2_000;
    return large.isKnown(tid, word, frames, 1, taken, now);
  }

  private int looksUntilKnown(int tid, long word, long... callers) {
    int looks = 1;
    while (!look(tid, word, callers)) {
      looks++;
    }
    return looks;
  }

  @Test
  void callersAreBelievedOnceTheyWereTheSameOftenEnough() {
    assertEquals(LargeFrames.SIGHTINGS + 1, looksUntilKnown(TID, WORD, 1, 2, 3));
    assertTrue(look(TID, WORD, 1, 2, 3));
  }

  @Test
  void anotherCallerIsNot() {
    looksUntilKnown(TID, WORD, 1, 2, 3);
    assertFalse(look(TID, WORD, 4, 2, 3));
    assertFalse(look(TID, WORD, 1, 2, 3));
    assertEquals(LargeFrames.AFTER_CHANGE, looksUntilKnown(TID, WORD, 1, 2, 3));
  }

  @Test
  void aCallerFurtherOutCounts() {
    looksUntilKnown(TID, WORD, 1, 2, 3);
    assertFalse(look(TID, WORD, 1, 2, 4));
    looksUntilKnown(TID, WORD, 1, 2, 3);
    assertFalse(look(TID, WORD, 1, 2, 3, 3));
  }

  @Test
  void eachPlaceAndThreadIsAnother() {
    looksUntilKnown(TID, WORD, 1, 2, 3);
    assertEquals(LargeFrames.SIGHTINGS + 1, looksUntilKnown(TID, WORD + 16, 4, 2, 3));
    assertEquals(LargeFrames.SIGHTINGS + 1, looksUntilKnown(TID + 1, WORD, 5, 2, 3));
    assertTrue(look(TID, WORD, 1, 2, 3));
  }

  @Test
  void samplesThatWereTakenBeforeTheLastReadCountAsOneWithIt() {
    frames.clear();
    frames.addNative(FrameKind.NATIVE, 1, true);
    for (int i = 0; i < 10 * LargeFrames.SIGHTINGS; i++) {
      assertFalse(large.isKnown(TID, WORD, frames, 0, 1_000 + i, 1_000_000 + i));
    }
  }
}
