package stackweave.agent.feature.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TouchedPagesTest {
  private record Touch(long stack, long thread, long weight, int end, long context) {}

  /** Compared with a map of the JDK. */
  @Test
  void isAMap() {
    SplittableRandom random = new SplittableRandom(1);
    TouchedPages pages = new TouchedPages(TouchedPages.MAX_PAGES);
    Map<Long, Touch> map = new HashMap<>();
    for (int i = 0; i < 200_000; i++) {
      long page = 1 + random.nextInt(6_000);
      int slot = pages.find(page);
      assertEquals(map.containsKey(page), slot >= 0);
      if (slot >= 0) {
        assertEquals(
            map.remove(page),
            new Touch(
                pages.stack(slot),
                pages.thread(slot),
                pages.value(slot),
                pages.end(slot),
                pages.context(slot)));
        pages.remove(slot);
      } else {
        Touch touch =
            new Touch(
                random.nextLong(),
                i,
                random.nextLong(1L << 40),
                random.nextInt(99),
                random.nextLong());
        map.put(page, touch);
        assertTrue(
            pages.add(
                page, touch.stack(), touch.thread(), touch.weight(), touch.end(), touch.context()));
      }
      assertEquals(map.size(), pages.count());
    }
    for (long page : map.keySet()) {
      assertTrue(pages.find(page) >= 0);
      assertEquals(page, pages.page(pages.find(page)));
    }
    assertEquals(map.keySet(), LongStream.of(pages.all()).boxed().collect(Collectors.toSet()));
    long moved = pages.all()[0];
    pages.move(pages.find(moved), 6_001);
    assertEquals(-1, pages.find(moved));
    assertEquals(map.get(moved).stack(), pages.stack(pages.find(6_001)));
  }

  @Test
  void isBounded() {
    TouchedPages pages = new TouchedPages(TouchedPages.MAX_PAGES);
    for (int i = 1; i <= TouchedPages.MAX_PAGES; i++) {
      assertTrue(pages.add(i, i, i, i, 0, i));
    }
    assertFalse(pages.add(-1, 1, 1, 1, 0, 1));
    pages.clear();
    assertEquals(0, pages.count());
    assertEquals(-1, pages.find(1));
  }
}
