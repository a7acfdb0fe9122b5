package stackweave.unwind;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The hash table finds what a HashMap of lists finds, in the same order. */
class HashIndexTest {

  private static List<Integer> all(HashIndex index, int hash) {
    List<Integer> found = new ArrayList<>();
    for (int i = index.first(hash); i != HashIndex.NONE; i = index.next()) {
      found.add(i);
    }
    return found;
  }

  @Test
  void findsWhatAMapFinds() {
    // Few hashes: long chains; many: growth; equal low or high bits: one slot for all.
    for (int hashes : new int[] {1, 7, 1000, Integer.MAX_VALUE}) {
      for (int shift : new int[] {0, 20}) {
        Random random = new Random(hashes + shift);
        HashIndex index = new HashIndex(0);
        Map<Integer, List<Integer>> map = new HashMap<>();
        for (int number = 0; number < 3000; number++) {
          int hash = random.nextInt(hashes) << shift;
          index.add(hash, number);
          map.computeIfAbsent(hash, h -> new ArrayList<>()).add(number);
        }
        assertEquals(3000, index.size());
        map.forEach((hash, numbers) -> assertEquals(numbers, all(index, hash)));
        for (int i = 0; i < 1000; i++) {
          int hash = random.nextInt();
          assertEquals(map.getOrDefault(hash, List.of()), all(index, hash));
        }
      }
    }
  }

  @Test
  void emptyTableFindsNothing() {
    HashIndex index = new HashIndex(1000);
    assertEquals(0, index.size());
    assertEquals(HashIndex.NONE, index.first(0));
    assertEquals(HashIndex.NONE, index.next());
    assertThrows(IllegalArgumentException.class, () -> index.add(1, -1));
  }
}
