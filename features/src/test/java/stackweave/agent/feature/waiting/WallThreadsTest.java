package stackweave.agent.feature.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class WallThreadsTest {
  private final WallThreads threads = new WallThreads();

  /** A wait that was too short to be read gets its time when it is read another time. */
  @Test
  void timeOfAShortWaitIsThatOfTheStackWithItsRegisters() {
    int i = threads.list(7);
    threads.owe(i, 0x1000, 0x10, 40);
    threads.owe(i, 0x2000, 0x20, 5);
    threads.owe(i, 0x1000, 0x10, 2);
    assertEquals(0, threads.takeOwed(i, 0x1000, 0x20));
    assertEquals(42, threads.takeOwed(i, 0x1000, 0x10));
    assertEquals(0, threads.takeOwed(i, 0x1000, 0x10));
    threads.giveUpOwed(i);
    assertEquals(5, threads.carried[i]);
    assertEquals(0, threads.takeOwed(i, 0x2000, 0x20));
  }

  /** No time is lost: that of the least is any stack's then. */
  @Test
  void ofManyShortWaitsTheLongestAreKeptApart() {
    int i = threads.list(7);
    threads.owe(i, 1, 1, 10);
    threads.owe(i, 2, 2, 3);
    threads.owe(i, 3, 3, 7);
    assertEquals(3, threads.carried[i]);
    assertEquals(10, threads.takeOwed(i, 1, 1));
    assertEquals(7, threads.takeOwed(i, 3, 3));
  }

  /** The columns grow with their threads, two places for each. */
  @Test
  void eachThreadHasItsOwn() {
    for (int tid = 1; tid <= 5_000; tid++) {
      threads.owe(threads.list(tid), tid, 1, tid);
    }
    threads.beginListing();
    int another = threads.list(9_999);
    assertEquals(0, threads.takeOwed(another, 1, 1));
    for (int i = 0; i < 5_000; i++) {
      int tid = threads.tid(i);
      assertEquals(tid, threads.takeOwed(i, tid, 1), "of " + tid);
    }
  }
}
