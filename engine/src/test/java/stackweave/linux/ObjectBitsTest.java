package stackweave.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ObjectBitsTest {

  /** By a file in memory, and by sockets. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void addressesTellObjectsApartWhileNoneMoves(boolean filtered) {
    try (ObjectBits bits = bits(filtered)) {
      Object[] objects = new Object[200];
      for (int i = 0; i < objects.length; i++) {
        objects[i] = new Object();
      }
      System.gc();
      int compared = 0;
      for (int attempt = 0; attempt < 100 && compared < 10; attempt++) {
        long before = collections();
        Map<Long, Object> byAddress = new HashMap<>();
        boolean same = true;
        for (Object object : objects) {
          byAddress.put(bits.of(object), object);
        }
        for (Object object : objects) {
          same &= byAddress.get(bits.of(object)) == object;
        }
        if (collections() == before) {
          compared++;
          assertTrue(same, "an address of another object");
          assertEquals(objects.length, byAddress.size());
          assertTrue(byAddress.keySet().stream().allMatch(a -> a != 0 && (a & 7) == 0));
        }
      }
      assertNotEquals(0, compared, "a collection in every attempt");
      assertEquals(0, bits.of(null));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nothingAfterClose(boolean filtered) {
    ObjectBits bits = bits(filtered);
    bits.close();
    assertEquals(0, bits.of(new Object()));
    bits.close();
  }

  private static ObjectBits bits(boolean filtered) {
    return new ObjectBits(SystemCalls.current().orElseThrow(), new CallPolicy(filtered, Set.of()));
  }

  private static long collections() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionCount)
        .sum();
  }
}
