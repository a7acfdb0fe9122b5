package stackweave.agent.drain.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class HeapSlackTest {
  private static final long MIB = 1 << 20;

  private long used;

  /** 0 for all of the heap. */
  private long committed;

  private long nanos;

  private final HeapSlack slack = slackOf(256);

  private HeapSlack slackOf(long maxMib) {
    return new HeapSlack(
        new HeapSlack.Heap() {
          @Override
          public long maxBytes() {
            return maxMib * MIB;
          }

          @Override
          public long committedBytes() {
            return committed == 0 ? maxBytes() : committed * MIB;
          }

          @Override
          public long freeBytes() {
            return committedBytes() - used * MIB;
          }

          @Override
          public long nanoTime() {
            return nanos;
          }
        });
  }

  private void look(long collections, long usedMib) {
    used = usedMib;
    slack.look(collections);
  }

  @Test
  void garbageIsNotTakenForUse() {
    for (int collection = 1; collection < 10; collection++) {
      look(collection, 200);
      look(collection, 255);
      assertTrue(slack.isDoubtful());
      assertFalse(slack.isShort());
      assertEquals(56 * MIB, slack.bytes());
    }
  }

  @Test
  void oneCollectionThatLeavesLittleIsNotEnough() {
    look(1, 100);
    look(2, 250);
    look(3, 250);
    assertTrue(slack.isShort());
    slack.begin();
    look(4, 250);
    look(5, 250);
    assertFalse(slack.isShort());
    look(6, 200);
    assertFalse(slack.isShort());
  }

  /** Where the thread looks once a collection, what it sees may be garbage of any age. */
  @Test
  void oneLookThatSeesMoreThanTheLastIsNoFullHeap() {
    HeapSlack small = slackOf(96);
    long[] usedAtLooks = {30, 35, 60, 85, 60, 90};
    for (int i = 0; i < usedAtLooks.length; i++) {
      used = usedAtLooks[i];
      small.look(i + 1);
      assertFalse(small.isShort());
    }
    used = 89;
    small.look(7);
    assertTrue(small.isShort(), "two collections in a row");
  }

  /** Whatever the heap leaves. */
  @Test
  void otherRoomEndsSamplingToo() {
    String[] why = {null};
    HeapSlack both = new HeapSlack(begins -> why[0], HeapSlack.Heap.OF_JVM);
    both.look(1);
    assertFalse(both.isShort());
    assertTrue(both.isAmple());
    why[0] = "no room for classes";
    assertTrue(both.isShort());
    assertFalse(both.isAmple());
    assertEquals("no room for classes", both.whyNot());
  }

  @Test
  void withoutACountLooksStandForCollections() {
    used = 250;
    for (int i = 0; i < 32; i++) {
      slack.look();
      assertFalse(slack.isShort());
    }
    slack.look();
    assertTrue(slack.isShort());
  }

  @Test
  void limitsGoWithTheHeap() {
    assertEquals(8 * MIB, slackOf(32).keepBytes());
    assertEquals(8 * MIB, slackOf(128).keepBytes());
    assertEquals(16 * MIB, slackOf(256).keepBytes());
    assertEquals(32 * MIB, slackOf(16_384).keepBytes());
    assertEquals(24 * MIB, slack.startBytes());
    assertTrue(slackOf(128).needsSettling());
    assertFalse(slack.needsSettling());
  }

  @Test
  void beginsOnlyWithWhatIsFreeForCertain() {
    look(1, 233);
    assertFalse(slack.isAmple());
    look(1, 232);
    assertTrue(slack.isAmple());
    assertTrue(slack.whyNot().contains("has 24 MiB left"), slack.whyNot());
  }

  /** Without a count of collections, too: that is how one is looked at before sampling begins. */
  @Test
  void saysThatTheCommittedPartIsFull() {
    committed = 198;
    used = 194;
    for (int i = 0; i < 40; i++) {
      slack.look();
    }
    assertFalse(slack.isAmple());
    assertTrue(slack.whyNot().contains("of which the JVM uses 198, has 4 MiB"), slack.whyNot());
  }

  /**
   * JDK 25's Serial with -Xmx256m, 60 % live: it commits 172 MiB, has at most 4 free of it, and
   * hardly ever collects the old generation.
   */
  @Test
  void aHeapThatIsNotMadeLargerSinceNothingNeedsItIsNotFull() {
    committed = 172;
    for (int collection = 1; collection < 20; collection++) {
      used = 168;
      slack.look(collection, 0);
      used = 172;
      slack.look(collection, 0);
      assertFalse(slack.isShort(), () -> slack.whyNot());
    }
    assertTrue(slack.isAmple(), slack.whyNot());
  }

  /** ZGC counts a collection where it begins, and the next one may follow at once. */
  @Test
  void concurrentCollectionsAreTakenTogether() {
    slack.collectsConcurrently();
    int collection = 0;
    for (int i = 0; i < 40; i++) {
      nanos += HeapSlack.CONCURRENT_NANOS / 5;
      look(++collection, i % 4 == 0 ? 200 : 250);
      assertFalse(slack.isShort(), () -> slack.whyNot());
    }
    for (int i = 0; i < 20; i++) {
      nanos += HeapSlack.CONCURRENT_NANOS / 5;
      look(++collection, 250);
    }
    assertTrue(slack.isShort());
  }

  /** As before the pipeline is opened: many looks of a rest, and then the JVM's own count. */
  @Test
  void looksWithoutACountAreNoFullCollections() {
    committed = 230;
    used = 226;
    for (int i = 0; i < 125; i++) {
      slack.look();
    }
    slack.look(7, 0);
    assertFalse(slack.isShort(), () -> slack.whyNot());
  }

  @Test
  void cyclesThatFollowAtOnceDoNotCramp() {
    slack.collectsConcurrently();
    for (int i = 1; i < 10; i++) {
      nanos += 20_000_000;
      look(i, i == 1 ? 200 : 250);
      assertFalse(slack.isShort(), () -> slack.whyNot());
    }
  }
}
