package stackweave.tableless.x86;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import stackweave.tableless.code.Processor;

/** Rows of unwind tables against the code that they describe. */
class RowCheckTest {
  /** push rbx; sub rsp, 16; jne over the first way out; add rsp, 16; pop rbx; ret; the same. */
  private static final byte[] TWO_WAYS =
      HexFormat.of()
          .parseHex(
              "53" + "4883ec10" + "7506" + "4883c410" + "5b" + "c3" + "4883c410" + "5b" + "c3");

  private static boolean contradicts(byte[] code, Map<Integer, Integer> rows) {
    TreeMap<Integer, Integer> sorted = new TreeMap<>(rows);
    return new NativeCode()
        .contradicts(code, code.length, offset -> sorted.floorEntry(offset).getValue());
  }

  @Test
  void rowsOfBothWaysOut() {
    Map<Integer, Integer> rows = new TreeMap<>(Map.of(0, 8, 1, 16, 5, 32, 11, 16, 12, 8));
    rows.putAll(Map.of(13, 32, 17, 16, 18, 8));
    assertFalse(contradicts(TWO_WAYS, rows));
  }

  @Test
  void rowsThatGoOnBehindAReturn() {
    Map<Integer, Integer> rows = new TreeMap<>(Map.of(0, 8, 1, 16, 5, 32, 11, 16, 12, 8));
    assertTrue(contradicts(TWO_WAYS, rows), "right at the return, but not at the way to it");
    rows.putAll(Map.of(17, -8, 18, -16));
    assertTrue(contradicts(TWO_WAYS, rows));
  }

  @Test
  void aPushThatNoRowIsFor() {
    assertTrue(contradicts(TWO_WAYS, Map.of(0, 8, 5, 24, 11, 8)));
  }

  /** Where the frame pointer is the base, and where a call may not return. */
  @Test
  void whatIsNotKnownIsNotHeldAgainstThem() {
    // push rbp; mov rbp, rsp; push rbx; pop rbx; pop rbp; ret
    byte[] framed = HexFormat.of().parseHex("554889e5535b5dc3");
    assertFalse(contradicts(framed, Map.of(0, 8, 1, 16, 4, Processor.NOT_BY_SP, 7, 8)));
    assertTrue(contradicts(framed, Map.of(0, 8, 1, 16, 4, Processor.NOT_BY_SP)));
    assertFalse(contradicts(framed, Map.of(0, Processor.NO_ROW)));
    // push rbx; call; add rsp, 16; ret
    byte[] calling = HexFormat.of().parseHex("53" + "e800000000" + "4883c410" + "c3");
    assertFalse(contradicts(calling, Map.of(0, 8, 1, 16, 6, 24, 10, 8)));
  }
}
