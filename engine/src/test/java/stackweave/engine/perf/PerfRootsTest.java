package stackweave.engine.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PerfRootsTest {
  private static final int[] CPUS = {0, 3};

  @Test
  void oneRootCountsPerThreadAndCpu() {
    PerfRoots roots = new PerfRoots(CPUS);
    assertFalse(roots.isDuplicate(10, 0, 77));
    assertFalse(roots.isDuplicate(10, 3, 88));
    assertTrue(roots.isDuplicate(10, 0, 88));
    assertTrue(roots.isDuplicate(10, 3, 77));
    assertFalse(roots.isDuplicate(10, 0, 77));
    assertFalse(roots.isDuplicate(11, 0, 88));
  }

  @Test
  void aThreadsChoiceEndsWithIt() {
    PerfRoots roots = new PerfRoots(CPUS);
    assertFalse(roots.isDuplicate(10, 0, 77));
    assertTrue(roots.exited(10));
    assertFalse(roots.exited(10), "the same exit from another root");
    assertFalse(roots.isDuplicate(10, 0, 88));
    roots.started(10);
    assertFalse(roots.isDuplicate(10, 0, 99));
    assertTrue(roots.exited(10));
  }

  /** Many threads come and go, against a plain map. */
  @Test
  void agreesWithAMapWhileThreadsComeAndGo() {
    Random random = new Random(7);
    PerfRoots roots = new PerfRoots(CPUS);
    Map<Long, Long> expected = new HashMap<>();
    int duplicates = 0;
    for (int i = 0; i < 300_000; i++) {
      int tid = 1 + random.nextInt(4000);
      int cpu = random.nextBoolean() ? 0 : 3;
      if (random.nextInt(8) == 0) {
        roots.started(tid);
        expected.remove(tid * 10L);
        expected.remove(tid * 10L + 3);
      } else {
        long root = 1 + random.nextInt(3);
        Long chosen = expected.putIfAbsent(tid * 10L + cpu, root);
        boolean duplicate = chosen != null && chosen != root;
        duplicates += duplicate ? 1 : 0;
        assertEquals(duplicate, roots.isDuplicate(tid, cpu, root), "step " + i);
      }
    }
    assertTrue(duplicates > 1000);
  }
}
