package stackweave.jfr.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Against java.util.HashMap, with keys that meet in the table and with tables that grow. */
class LongIndexTest {
  @Test
  void positionsAreThoseOfTheFirstTime() {
    Random random = new Random(5);
    LongIndex index = new LongIndex();
    Map<Long, Integer> expected = new HashMap<>();
    for (int i = 0; i < 200_000; i++) {
      long key =
          switch (i % 3) {
            case 0 -> random.nextInt(50_000);
            case 1 -> (long) random.nextInt(300) << 32; // alike in their low bits
            default -> random.nextLong();
          };
      Integer known = expected.putIfAbsent(key, expected.size());
      assertEquals(known == null ? -1 : known, index.find(key));
      assertEquals(known == null ? expected.size() - 1 : known, index.add(key));
      assertEquals(expected.size(), index.count());
    }
    expected.forEach((key, position) -> assertEquals(position, index.find(key)));
    assertEquals(-1, index.find(50_000));
  }

  @Test
  void indexesOfOneHashAreAllFound() {
    IndexTable table = new IndexTable(8);
    for (int i = 0; i < table.capacity(); i++) {
      table.add(-1, i); // the last slot: the others are at the beginning
    }
    int slot = table.slot(-1);
    for (int i = 0; i < table.capacity(); i++) {
      assertEquals(i, table.at(slot));
      slot = table.next(slot);
    }
    assertEquals(-1, table.at(slot));
    table.clear(16);
    assertEquals(16, table.capacity());
    assertEquals(-1, table.at(table.slot(-1)));
    assertThrows(IllegalArgumentException.class, () -> table.clear(12));
  }
}
