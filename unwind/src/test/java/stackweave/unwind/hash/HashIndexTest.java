package stackweave.unwind.hash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The hash table finds what a HashMap of lists finds. */
class HashIndexTest {
  private static List<Integer> all(HashIndex index, int hash) {
    List<Integer> found = new ArrayList<>();
    for (int slot = index.first(hash); slot != HashIndex.NONE; slot = index.next(slot)) {
      found.add(index.at(slot));
    }
    found.sort(null);
    return found;
  }

  /** Few hashes: long chains; many: growth; equal low or high bits: one slot for all. */
  @ParameterizedTest
  @CsvSource({"1,0", "7,0", "1000,0", "2147483647,0", "1,20", "7,20", "1000,20", "2147483647,20"})
  void findsWhatAMapFinds(int hashes, int shift) {
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

  /** In a table so full that runs of entries are long, and reach over its end. */
  @ParameterizedTest
  @ValueSource(ints = {1, 5, 12, 1000, Integer.MAX_VALUE})
  void forgetsWhatIsRemovedAndNothingElse(int hashes) {
    Random random = new Random(hashes);
    HashIndex index = new HashIndex(12);
    List<int[]> entries = new ArrayList<>();
    for (int i = 0; i < 30_000; i++) {
      if (entries.size() == 12 || !entries.isEmpty() && random.nextInt(2) == 0) {
        int[] gone = entries.remove(random.nextInt(entries.size()));
        int slot = index.first(gone[0]);
        while (index.at(slot) != gone[1]) {
          slot = index.next(slot);
        }
        index.remove(slot);
      } else {
        int[] entry = {random.nextInt(hashes), i};
        entries.add(entry);
        index.add(entry[0], entry[1]);
      }
      assertEquals(entries.size(), index.size());
      int asked = entries.isEmpty() ? 3 : entries.get(random.nextInt(entries.size()))[0];
      List<Integer> expected =
          entries.stream().filter(e -> e[0] == asked).map(e -> e[1]).sorted().toList();
      assertEquals(expected, all(index, asked));
    }
  }

  @Test
  void clearedItIsAsNew() {
    HashIndex index = new HashIndex(10);
    for (int round = 0; round < 3; round++) {
      int count = round == 0 ? 5 : 1_000; // without growth, and with it
      for (int number = 0; number < count; number++) {
        index.add(number % 7, number);
      }
      index.clear();
      assertEquals(0, index.size());
      for (int hash = 0; hash < 7; hash++) {
        assertEquals(List.of(), all(index, hash));
      }
    }
  }

  @Test
  void allHashesAndNumbersAreTaken() {
    HashIndex index = new HashIndex(1000);
    for (int hash : new int[] {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      assertEquals(HashIndex.NONE, index.first(hash));
      index.add(hash, 0);
      index.add(hash, Integer.MAX_VALUE - 1);
      assertEquals(List.of(0, Integer.MAX_VALUE - 1), all(index, hash));
    }
    assertThrows(IllegalArgumentException.class, () -> index.add(1, -1));
    assertThrows(IllegalArgumentException.class, () -> index.add(1, Integer.MAX_VALUE));
    assertThrows(IllegalArgumentException.class, () -> new HashIndex(-1));
    assertThrows(IllegalArgumentException.class, () -> new HashIndex((1 << 28) + 1));
  }
}
