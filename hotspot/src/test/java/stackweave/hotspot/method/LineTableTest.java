package stackweave.hotspot.method;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.api.Test;

/** HotSpot's compressed line numbers. */
class LineTableTest {

  @Test
  void smallStepsAreOneByteAndLargeOnesEscaped() {
    // +0 +5 in one byte; +4 +1 in one byte; escaped: +40 (80 = 0x50), −3 (5)
    LineTable table = decode("05" + "21" + "ff5005" + "00" + "99");
    assertArrayEquals(new int[] {0, 4, 44}, table.bcis());
    assertArrayEquals(new int[] {5, 6, 3}, table.lines());
  }

  @Test
  void ofSeveralLinesAtOneBytecodeTheLastCounts() {
    LineTable table = decode("05" + "02" + "09" + "00");
    assertArrayEquals(new int[] {0, 1}, table.bcis());
    assertArrayEquals(new int[] {7, 8}, table.lines());
  }

  @Test
  void entriesOutOfOrderAreSorted() {
    LineTable table = decode("ff1414" + "ff0902" + "00"); // 10 → 10, then −5 → +1
    assertArrayEquals(new int[] {5, 10}, table.bcis());
    assertArrayEquals(new int[] {11, 10}, table.lines());
  }

  @Test
  void anEmptyTableHasNoLine() {
    assertArrayEquals(new int[0], decode("00").bcis());
  }

  private static LineTable decode(String hex) {
    byte[] bytes = Unsigned5Test.bytes(hex);
    return LineTable.decode(new Unsigned5(false).at(bytes, 0, bytes.length));
  }
}
