package stackweave.hotspot.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Names of threads from the heap against those that the threads have. */
class ThreadObjectsTest {

  @Test
  void namesAreThoseOfTheThreads() throws Exception {
    assertEquals("", HeapNames.differences());
  }

  @Test
  void noWrongNameIsReadWhileObjectsMove() throws Exception {
    HeapNames.Churned churned = HeapNames.whileObjectsMove();
    assertEquals(0, churned.wrong());
    assertTrue(churned.right() > 0, churned::toString);
  }
}
