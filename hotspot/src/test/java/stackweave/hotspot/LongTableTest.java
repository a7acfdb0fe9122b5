package stackweave.hotspot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The table against a HashMap. */
class LongTableTest {

  @Test
  void answersAsAHashMapDoes() {
    LongTable<Integer> table = new LongTable<>(1 << 12);
    Map<Long, Integer> expected = new HashMap<>();
    Random random = new Random(1);
    for (int i = 0; i < 100_000; i++) {
      long key = 1 + random.nextInt(2000) * 4096L;
      if (random.nextInt(3) == 0) {
        table.remove(key);
        expected.remove(key);
      } else {
        assertFalse(table.put(key, i));
        expected.put(key, i);
      }
      long asked = 1 + random.nextInt(2000) * 4096L;
      assertEquals(expected.get(asked), table.get(asked));
    }
  }

  @Test
  void isEmptiedRatherThanOverfilled() {
    LongTable<String> table = new LongTable<>(16);
    for (long key = 1; key <= 12; key++) {
      assertFalse(table.put(key, "x"));
    }
    assertTrue(table.put(13, "y"));
    assertEquals("y", table.get(13));
    assertNull(table.get(1));
    assertEquals(1, table.size());
  }
}
