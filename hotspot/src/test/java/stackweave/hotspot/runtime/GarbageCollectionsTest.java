package stackweave.hotspot.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import stackweave.hotspot.Vm;

class GarbageCollectionsTest {

  @Test
  void countsWhatTheJdkCounts() throws Exception {
    GarbageCollections collections = new Vm().hotspot.collections();
    assertEquals(GarbageCollections.Moves.IN_PAUSES, collections.moves(), "the tests' own JVM");
    for (int i = 0; i < 5; i++) {
      long beans = beans();
      int begun = collections.begun();
      System.gc();
      assertNotEquals(begun, collections.begun());
      assertTrue(beans() > beans);
    }
  }

  private static long beans() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionCount)
        .sum();
  }
}
