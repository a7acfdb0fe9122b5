package stackweave.agent.drain.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** With a heap of 256 MiB, of which 16 must be free. */
class HeapRestTest {
  private static final long MIB = 1 << 20;
  private static final long MILLI = 1_000_000;

  private long committed = 256;
  private long free = 100;
  private HeapSlack slack = slackOf(256);
  private HeapRest rest = new HeapRest(slack);
  private long collections = 1;

  private HeapSlack slackOf(long maxMib) {
    return new HeapSlack(
        new HeapSlack.Heap() {
          @Override
          public long maxBytes() {
            return maxMib * MIB;
          }

          @Override
          public long committedBytes() {
            return committed * MIB;
          }

          @Override
          public long freeBytes() {
            return free * MIB;
          }
        });
  }

  private boolean putsOff(long millis, long freeMib) {
    free = freeMib;
    slack.look(collections);
    return rest.putsOff(millis * MILLI);
  }

  @Test
  void restsOnlyWhileLittleIsFree() {
    assertFalse(putsOff(0, 16));
    assertFalse(rest.mustLeave());
    free = 15;
    assertTrue(rest.mustLeave(), "in the middle of the turn");
    assertTrue(putsOff(10, 15));
    assertTrue(rest.isResting());
    assertTrue(putsOff(20, 1));
    collections++;
    assertFalse(putsOff(30, 60));
    assertFalse(rest.isResting());
    assertEquals(20 * MILLI, rest.takeNanos());
    assertEquals(0, rest.takeNanos());
  }

  /** As much of it is free, but the JVM makes it larger. */
  @Test
  void aHeapThatGrowsIsNotFull() {
    committed = 170;
    assertFalse(putsOff(0, 1));
    assertFalse(rest.mustLeave());
    committed = 171;
    assertTrue(putsOff(10, 1));
  }

  /** The samples would be lost otherwise, and what is left is enough for the turn. */
  @Test
  void anApplicationThatTakesLittleIsSampledAfterAWhile() {
    assertTrue(putsOff(0, 10));
    assertTrue(putsOff(249, 9));
    assertFalse(putsOff(250, 8));
    free = 4;
    assertFalse(rest.mustLeave());
    free = 3;
    assertTrue(rest.mustLeave());
    assertTrue(putsOff(260, 8));
    assertFalse(putsOff(510, 8));
  }

  /** The JVM has more of them until one is the last; and here it does not make the heap larger. */
  @Test
  void collectionsThatLeaveNoRoomEndSampling() {
    committed = 230;
    assertTrue(putsOff(0, 2));
    for (int i = 1; i <= 3; i++) {
      assertFalse(slack.isShort());
      collections++;
      assertTrue(putsOff(200 * i, 2));
    }
    assertTrue(slack.isShort());
    assertTrue(
        slack.whyNot().contains("of 256 MiB, of which the JVM uses 230, has 2 MiB left"),
        slack.whyNot());
    assertFalse(slack.isAmple());
    collections++;
    assertFalse(putsOff(1_000, 60));
    assertFalse(slack.isShort());
    assertTrue(slack.isAmple());
  }

  @Test
  void oneThatIsMadeLargerMeanwhileDoesNot() {
    committed = 200;
    for (int i = 0; i < 5; i++) {
      collections++;
      committed += 4;
      assertTrue(putsOff(i, 2));
      assertFalse(slack.isShort());
    }
  }

  /** It rests with 12 MiB free, of which 8 are enough to go on, so it must not rest for long. */
  @Test
  void collectionsThatLeaveEnoughDoNotMakeARestLonger() {
    slack = slackOf(128);
    rest = new HeapRest(slack);
    committed = 128;
    for (int millis = 0; millis < 250; millis += 10) {
      collections++;
      assertTrue(putsOff(millis, 12));
    }
    assertFalse(putsOff(250, 12));
    assertFalse(slack.isShort());
  }

  @Test
  void aTurnThatMustComeWorksToItsEnd() {
    assertTrue(putsOff(0, 2));
    rest.end(5 * MILLI);
    assertFalse(rest.mustLeave());
    assertEquals(5 * MILLI, rest.takeNanos());
  }

  /** Without the JVM's count looks stand for collections, and must not end what takes little. */
  @Test
  void withoutACountItRestsNoLonger() {
    free = 2;
    committed = 230;
    int turns = 0;
    for (int millis = 0; millis < 2_000; millis += 2) {
      slack.look();
      turns += rest.putsOff(millis * MILLI) ? 0 : 1;
      assertTrue(slack.bytes() >= slack.keepBytes() && !slack.isShort());
    }
    assertEquals(7, turns);
  }

  /**
   * A young generation that is collected again and again, of an old one that is as large as what it
   * holds: nothing says that memory is short, and the samples would be lost otherwise.
   */
  @Test
  void youngCollectionsAloneDoNotMakeARestLonger() {
    committed = 172;
    int turns = 0;
    for (int millis = 0; millis < 10_000; millis += 10) {
      free = millis / 10 % 4;
      collections += free == 3 ? 1 : 0;
      slack.look(collections, 0);
      if (!rest.putsOff(millis * MILLI)) {
        turns++;
        free = 0;
        assertFalse(rest.mustLeave());
      }
    }
    assertEquals(38, turns, 1);
  }

  /** The application keeps more after each of them. */
  @Test
  void youngCollectionsThatLeaveMoreEachTimeDo() {
    committed = 172;
    for (int millis = 0; millis < 1_000; millis += 100) {
      committed += 5;
      free = 3;
      collections++;
      slack.look(collections, 0);
      assertTrue(rest.putsOff(millis * MILLI));
    }
    slack.look(collections, 0);
    assertFalse(rest.putsOff(1_000 * MILLI));
  }

  /** The rings have room for some seconds: it must decode now and then, or end with a word. */
  @Test
  void aHeapThatGrowsWithEachCollectionIsNotLeftAloneForever() {
    committed = 172;
    int turns = 0;
    for (int millis = 0; millis < 10_000; millis += 10) {
      if (millis % 200 == 0) {
        collections++;
        committed++;
      }
      turns += putsOff(millis, 8) ? 0 : 1;
    }
    assertTrue(turns >= 9, turns + " turns in 10 s");
    assertFalse(slack.isShort());
  }
}
