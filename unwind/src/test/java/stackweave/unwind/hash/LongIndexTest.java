package stackweave.unwind.hash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
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

  /** As columns need them: each key has its own position, below the capacity. */
  @Test
  void positionsOfRemovedKeysAreGivenAgain() {
    Random random = new Random(6);
    LongIndex index = new LongIndex();
    Map<Long, Integer> expected = new HashMap<>();
    long[] column = new long[index.capacity()];
    for (int i = 0; i < 200_000; i++) {
      long key = random.nextInt(5_000) - 2_500L << (i & 1) * 32;
      if (random.nextInt(5) < 2) {
        index.remove(key);
        expected.remove(key);
      } else {
        int position = index.add(key);
        if (column.length != index.capacity()) {
          column = Arrays.copyOf(column, index.capacity());
        }
        Integer known = expected.put(key, position);
        assertTrue(known == null || known == position && column[position] == key);
        column[position] = key;
      }
      assertEquals(expected.size(), index.count());
    }
    for (Map.Entry<Long, Integer> entry : expected.entrySet()) {
      assertEquals(entry.getValue(), index.find(entry.getKey()));
      assertEquals(entry.getKey(), column[entry.getValue()]);
    }
    assertTrue(index.capacity() <= 16_384, "capacity " + index.capacity());
    index.clear();
    assertEquals(0, index.count());
    expected.keySet().forEach(key -> assertEquals(LongIndex.NONE, index.find(key)));
    assertEquals(0, index.add(7));
  }
}
