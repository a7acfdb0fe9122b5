package stackweave.agent.decode.splice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;

/** When a thread is too quick for its older frames to be believed. */
class SteadinessTest {
  private static final long MILLI = 1_000_000;
  private static final int RECURSION = 500;

  /** As long as the least that is reckoned with. */
  private static final long DELAY = MILLI - 1;

  private final Steadiness steadiness = new Steadiness();
  private final FrameBuffer frames = new FrameBuffer(4096);
  private long now = 1L << 60;

  /** A sample, read about 1 ms later, with a recursion of some depth that {@code caller} began. */
  private boolean sample(int tid, int caller, int depth, long afterMillis) {
    now += afterMillis * MILLI;
    frames.clear();
    for (int i = 0; i < depth; i++) {
      frames.addHotSpot(FrameKind.INTERPRETED, 0x1000, false, 7, 3, 1);
    }
    frames.addHotSpot(FrameKind.INTERPRETED, 0x1000, false, caller, 3, 1);
    frames.addNative(FrameKind.NATIVE, 0x2000, false);
    return steadiness.isSteady(tid, frames, depth + 2 - 100, now, now + DELAY);
  }

  @Test
  void aThreadThatStaysIsBelieved() {
    for (int i = 0; i < 100; i++) {
      assertTrue(sample(1, 8, RECURSION, 10));
    }
  }

  @Test
  void aThreadThatGoesUpAndDownInOneRecursionIsBelieved() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 100; i++) {
      assertTrue(sample(1, 8, 200 + random.nextInt(RECURSION), 1));
    }
  }

  @Test
  void aThreadThatChangesItsCallersNowAndThenIsBelieved() {
    for (int i = 0; i < 1_000; i++) {
      assertTrue(sample(1, 8 + i / 20 % 2, RECURSION, 10), "sample " + i);
    }
  }

  @Test
  void aThreadThatAlternatesIsNot() {
    SplittableRandom random = new SplittableRandom(1);
    int believed = 0;
    for (int i = 0; i < 10_000; i++) {
      believed += sample(1, 8 + random.nextInt(2), RECURSION, 10) ? 1 : 0;
    }
    assertTrue(believed <= 60, "believed " + believed);
  }

  @Test
  void aThreadThatCalmsDownIsBelievedAgain() {
    for (int i = 0; i < 10; i++) {
      sample(1, 8 + i % 2, RECURSION, 1);
    }
    assertFalse(sample(1, 8, RECURSION, 1));
    for (int i = 1; i < Steadiness.STACKS; i++) {
      assertFalse(sample(1, 8, RECURSION, 2 * Steadiness.RISK));
    }
    assertTrue(sample(1, 8, RECURSION, 1));
  }

  @Test
  void stacksReadAtOnceAreOneLook() {
    for (int i = 0; i < 4; i++) {
      sample(1, 8 + i % 2, RECURSION, 10);
    }
    now += 10 * Steadiness.RISK * MILLI;
    for (int i = 0; i < 10 * Steadiness.STACKS; i++) {
      assertFalse(sample(1, 9, RECURSION, 0), "all sampled at one moment");
    }
  }

  @Test
  void whatWasReadLateIsBelievedLater() {
    sample(1, 8, RECURSION, 1);
    sample(1, 9, RECURSION, 1);
    for (int i = 0; i < 2 * Steadiness.STACKS; i++) {
      assertFalse(sample(1, 9 + i / 2 % 2, RECURSION, 1), "sample " + i);
    }
    for (int i = 0; i < Steadiness.STACKS; i++) {
      assertFalse(sample(1, 9, RECURSION, 1));
    }
    assertTrue(sample(1, 9, RECURSION, 2 * Steadiness.RISK));
  }

  @Test
  void threadsAreJudgedApart() {
    for (int i = 0; i < 10; i++) {
      assertEquals(i < 1, sample(1, 8 + i % 2, RECURSION, 1), "sample " + i);
      assertTrue(sample(2, 8, RECURSION, 1));
    }
  }
}
