package stackweave.agent.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Which Java threads need not be read again. */
class KnownJavaThreadsTest {
  private static final int MANY = 3_000;

  private final KnownJavaThreads known = new KnownJavaThreads();

  private static long address(int n) {
    return 0x7f00_0000_0000L + 4_096L * n;
  }

  private void addAll() {
    known.begin();
    for (int n = 0; n < MANY; n++) {
      known.add(address(n), 1_000 + n, 20_000 + n, 0x7fff_0000_0000L + n);
    }
    known.end();
  }

  @Test
  void whatWasReadIsFoundAgain() {
    addAll();
    known.begin();
    for (int n = 0; n < MANY; n++) {
      int i = known.find(address(n), 1_000 + n);
      assertEquals(20_000 + n, known.osThreadId(i));
      assertEquals(0x7fff_0000_0000L + n, known.stackEnd(i));
    }
    assertEquals(-1, known.find(address(MANY), 5));
  }

  @Test
  void anAddressThatIsUsedAgainIsAnotherThread() {
    addAll();
    known.begin();
    assertEquals(-1, known.find(address(7), 9_999));
    assertEquals(-1, known.find(address(7), 0), "ids that can't be read tell nothing");
    known.add(address(7), 9_999, 4, 5);
    assertEquals(4, known.osThreadId(known.find(address(7), 9_999)));
    assertEquals(-1, known.find(address(7), 1_007));
    assertEquals(MANY, known.count());
  }

  @Test
  void thoseThatHaveEndedAreForgotten() {
    addAll();
    known.begin();
    for (int n = 0; n < 10; n++) {
      known.find(address(n), 1_000 + n);
    }
    known.end();
    assertEquals(10, known.count());
    known.begin();
    assertEquals(-1, known.find(address(10), 1_010));
    assertTrue(known.find(address(9), 1_009) >= 0);
    addAll();
    assertEquals(MANY, known.count());
  }
}
