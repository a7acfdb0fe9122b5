package stackweave.agent.feature.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class WallThreadTest {
  private final WallThread thread = new WallThread(7);

  /** A wait that was too short to be read gets its time when it is read another time. */
  @Test
  void timeOfAShortWaitIsThatOfTheStackWithItsRegisters() {
    thread.owe(0x1000, 0x10, 40);
    thread.owe(0x2000, 0x20, 5);
    thread.owe(0x1000, 0x10, 2);
    assertEquals(0, thread.takeOwed(0x1000, 0x20));
    assertEquals(42, thread.takeOwed(0x1000, 0x10));
    assertEquals(0, thread.takeOwed(0x1000, 0x10));
    thread.giveUpOwed();
    assertEquals(5, thread.carried);
    assertEquals(0, thread.takeOwed(0x2000, 0x20));
  }

  /** No time is lost: that of the least is any stack's then. */
  @Test
  void ofManyShortWaitsTheLongestAreKeptApart() {
    thread.owe(1, 1, 10);
    thread.owe(2, 2, 3);
    thread.owe(3, 3, 7);
    assertEquals(3, thread.carried);
    assertEquals(10, thread.takeOwed(1, 1));
    assertEquals(7, thread.takeOwed(3, 3));
  }
}
