package stackweave.unwind.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** Which pages were copied, and where they are. */
class OlderCopyTest {
  private static final long FIRST = 0x7fff_0000_0000L;

  private final OlderCopy copy = new OlderCopy();

  private void add(int page) {
    ByteBuffer contents = ByteBuffer.allocate(OlderCopy.PAGE_BYTES + 8);
    contents.order(ByteOrder.nativeOrder()).putLong(8, page);
    copy.add(address(page), contents, 8);
  }

  private static long address(int page) {
    return FIRST + (long) page * OlderCopy.PAGE_BYTES;
  }

  @Test
  void allPagesThatFitAreKept() {
    for (int page = 0; page < OlderCopy.MOST_PAGES; page++) {
      add(page);
    }
    assertTrue(copy.has(FIRST, OlderCopy.MOST_BYTES));
    for (int page = 0; page < OlderCopy.MOST_PAGES; page++) {
      assertEquals(page, copy.getLong(address(page)));
    }
    assertFalse(copy.has(FIRST - 8, 8));
    assertFalse(copy.has(address(OlderCopy.MOST_PAGES) - 4, 8));
    assertFalse(copy.has(address(OlderCopy.MOST_PAGES), 8));
    assertFalse(copy.has(FIRST, OlderCopy.MOST_BYTES + 1));
  }

  @Test
  void whatCrossesIntoAMissingPageIsMissing() {
    add(0);
    add(2);
    assertTrue(copy.has(address(1) - 8, 8));
    assertFalse(copy.has(address(1) - 4, 8));
    assertFalse(copy.has(address(1), 8));
    assertFalse(copy.has(address(2) - 4, 8));
    assertTrue(copy.has(address(2), OlderCopy.PAGE_BYTES));
  }

  @Test
  void pagesBelowTheFirstAndFarAboveItAreLeftOut() {
    add(1);
    add(0);
    add(1 + OlderCopy.MOST_PAGES);
    assertFalse(copy.has(address(0), 8));
    assertFalse(copy.has(address(1 + OlderCopy.MOST_PAGES), 8));
    assertTrue(copy.has(address(1), 8));
  }

  @Test
  void itFitsACopyOfTheSameTime() {
    for (int page = 4; page < 9; page++) {
      add(page);
    }
    byte[] stack = new byte[6 * OlderCopy.PAGE_BYTES];
    ByteBuffer top = ByteBuffer.wrap(stack).order(ByteOrder.nativeOrder());
    for (int page = 4; page < 6; page++) {
      top.putLong(page * OlderCopy.PAGE_BYTES - 16, page);
    }
    long from = address(0) + 16;
    int length = 6 * OlderCopy.PAGE_BYTES - 16;
    assertTrue(copy.fits(stack, from, length));
    assertTrue(copy.fits(stack, from - 64 * OlderCopy.PAGE_BYTES, length), "further down");
    assertTrue(copy.fits(stack, from - (3L << 30), length), "a fiber's, in the heap");
    assertTrue(copy.fits(stack, from + (3L << 30), length), "a fiber's, in another mapping");
    stack[0] = 1;
    assertTrue(copy.fits(stack, from, length), "below");
    stack[5 * OlderCopy.PAGE_BYTES + 100] = 1;
    assertFalse(copy.fits(stack, from, length));
    assertTrue(copy.fits(stack, from, 5 * OlderCopy.PAGE_BYTES));
  }

  @Test
  void itForgetsAndBeginsElsewhere() {
    add(5);
    copy.clear();
    assertFalse(copy.has(address(5), 8));
    add(3);
    assertTrue(copy.has(address(3), 8));
    assertEquals(3, copy.getLong(address(3)));
  }
}
