package stackweave.agent.decode.thread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SampledThreadsTest {

  @Test
  void addedAndRemovedAsInAMap() {
    SampledThreads threads = new SampledThreads();
    Map<Integer, SampledThreads.Entry> expected = new HashMap<>();
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < 200_000; i++) {
      int tid = 1 + random.nextInt(6_000);
      if (random.nextInt(2) == 0) {
        threads.remove(tid);
        expected.remove(tid);
      } else if (threads.find(tid) == null) {
        expected.put(tid, threads.add(tid));
      }
      int other = 1 + random.nextInt(6_000);
      assertSame(expected.get(other), threads.find(other));
    }
    for (int tid = 1; tid <= 6_000; tid++) {
      assertSame(expected.get(tid), threads.find(tid));
    }
  }

  @Test
  void fullItForgetsAll() {
    SampledThreads threads = new SampledThreads();
    for (int tid = 1; tid <= SampledThreads.MAX; tid++) {
      threads.add(tid);
    }
    assertEquals(1, threads.find(1).tid);
    threads.add(SampledThreads.MAX + 1);
    assertNull(threads.find(1));
    assertEquals(SampledThreads.MAX + 1, threads.find(SampledThreads.MAX + 1).tid);
  }
}
