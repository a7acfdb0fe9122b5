package stackweave.unwind.hash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.testing.Commands;

/** {@link LongTable} against a HashMap. */
class LongTableTest {
  private static final int OPERATIONS = 200_000;

  /** Dense keys, keys that are multiples of pages, and keys of all bits. */
  private static long key(Random random, int kind, int distinct) {
    long number = 1 + random.nextInt(distinct);
    return switch (kind) {
      case 0 -> number;
      case 1 -> number << 12;
      default -> number * 0x2545F4914F6CDD1DL;
    };
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void answersAsAHashMapDoes(int kind) {
    LongTable<Integer> table = new LongTable<>(4, 64);
    Map<Long, Integer> expected = new HashMap<>();
    Random random = new Random(kind);
    for (int i = 0; i < OPERATIONS; i++) {
      long key = key(random, kind, 47);
      if (random.nextInt(3) == 0) {
        table.remove(key);
        expected.remove(key);
      } else {
        assertFalse(table.put(key, i));
        expected.put(key, i);
      }
      long asked = key(random, kind, 60);
      assertEquals(expected.get(asked), table.get(asked));
      assertEquals(expected.size(), table.size());
    }
    expected.forEach((key, value) -> assertEquals(value, table.get(key)));
  }

  /** With as many keys as ever fit, and then as few as at first. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void growsUpToItsLimit(int kind) {
    LongTable<Integer> table = new LongTable<>(4, 10_000);
    Map<Long, Integer> expected = new HashMap<>();
    Random random = new Random(kind);
    int emptied = 0;
    for (int i = 0; i < OPERATIONS; i++) {
      long key = key(random, kind, 20_000);
      if (random.nextInt(8) == 0) {
        table.remove(key);
        expected.remove(key);
      } else {
        boolean full = expected.size() == 10_000 && !expected.containsKey(key);
        if (full) {
          expected.clear();
          emptied++;
        }
        assertEquals(full, table.put(key, i));
        expected.put(key, i);
      }
      long asked = key(random, kind, 20_000);
      assertEquals(expected.get(asked), table.get(asked));
      assertEquals(expected.size(), table.size());
    }
    assertTrue(emptied > 2, "emptied " + emptied);
  }

  @Test
  void isEmptiedRatherThanOverfilled() {
    LongTable<String> table = new LongTable<>(4, 12);
    for (long key = 1; key <= 12; key++) {
      assertFalse(table.put(key, "x"));
    }
    assertFalse(table.put(12, "again"));
    assertEquals(12, table.size());
    assertTrue(table.put(13, "y"));
    assertEquals("y", table.get(13));
    assertNull(table.get(1));
    assertEquals(1, table.size());
    table.clear();
    assertEquals(0, table.size());
    assertNull(table.get(13));
  }

  @Test
  void whatWasRemovedTakesNoRoom() {
    LongTable<String> table = new LongTable<>(4, 12);
    for (long key = 1; key <= 1_000; key++) {
      assertFalse(table.put(key, "x"));
      table.remove(key);
    }
    assertEquals(0, table.size());
  }

  /** Without memory to grow, a key may be missing; then all is as it was before. */
  @Test
  void staysWholeWithoutMemory() throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin/java").toString();
    String classes = System.getProperty("java.class.path");
    String full = FullHeap.class.getName();
    Commands.output(java, "-Xmx16m", "-XX:+UseSerialGC", "-cp", classes, full);
  }

  /** Run in a JVM of its own: fills its heap again and again while a table grows. */
  static final class FullHeap {
    public static void main(String[] args) {
      LongTable<Long> table = new LongTable<>(16, 1 << 24);
      List<byte[]> ballast = new ArrayList<>(1 << 16);
      table.put(0, 0L); // with the classes that it needs
      long next = 1;
      int refused = 0;
      for (int round = 0; round < 40; round++) {
        fill(ballast);
        try {
          for (int i = 0; i < 3_000; i++) {
            table.put(next, next);
            next++;
          }
        } catch (OutOfMemoryError e) {
          refused++;
        }
        ballast.clear();
        table.put(next, next);
        next++;
        for (long key = 0; key < next; key++) {
          assertEquals(key, table.get(key));
        }
      }
      assertTrue(refused > 1, "refused " + refused);
    }

    /** Up to the last 512 bytes. */
    private static void fill(List<byte[]> ballast) {
      for (int size = 1 << 20; size >= 512; size /= 2) {
        try {
          while (true) {
            ballast.add(new byte[size]);
          }
        } catch (OutOfMemoryError e) {
          continue; // smaller ones may fit
        }
      }
    }
  }
}
