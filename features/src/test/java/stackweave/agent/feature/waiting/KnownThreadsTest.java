package stackweave.agent.feature.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class KnownThreadsTest {
  /** Compared with a map of the JDK: each thread is found by its id and by its position. */
  @Test
  void isAMapThatCanBeWalkedThrough() {
    SplittableRandom random = new SplittableRandom(1);
    KnownThreads<WallThread> table = new KnownThreads<>();
    Map<Integer, WallThread> map = new HashMap<>();
    for (int i = 0; i < 100_000; i++) {
      int tid = 1 + random.nextInt(3_000);
      WallThread known = map.remove(tid);
      assertSame(known, table.find(tid));
      if (known != null) {
        table.remove(known);
        assertEquals(-1, known.position);
        assertNull(table.find(tid));
      } else {
        WallThread added = new WallThread(tid);
        map.put(tid, added);
        table.add(added);
      }
      assertEquals(map.size(), table.size());
    }
    for (int i = 0; i < table.size(); i++) {
      assertEquals(i, table.get(i).position);
      assertSame(map.get(table.get(i).tid), table.get(i));
    }
  }
}
