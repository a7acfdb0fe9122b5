package stackweave.unwind.hash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Equal objects have one number, as in a map. */
class InternTableTest {

  /** An object of which many have the same hash. */
  private record Key(int value, int hashes) {
    @Override
    public int hashCode() {
      return value % hashes;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 1000, Integer.MAX_VALUE})
  void numbersWhatAMapNumbers(int hashes) {
    Random random = new Random(hashes);
    InternTable<Key> table = new InternTable<>();
    Map<Key, Integer> map = new HashMap<>();
    for (int i = 0; i < 3_000; i++) {
      Key key = new Key(random.nextInt(600), hashes);
      int number = map.computeIfAbsent(key, k -> map.size());
      assertEquals(number, table.intern(key));
      assertEquals(map.size(), table.size());
    }
    map.forEach((key, number) -> assertSame(key, table.get(number)));
  }

  @Test
  void numbersBeginAnewWhenItIsCleared() {
    InternTable<String> table = new InternTable<>();
    assertEquals(0, table.intern("a"));
    assertEquals(1, table.intern("b"));
    table.clear();
    assertEquals(0, table.size());
    assertEquals(0, table.intern("b"));
    assertEquals("b", table.get(0));
  }
}
