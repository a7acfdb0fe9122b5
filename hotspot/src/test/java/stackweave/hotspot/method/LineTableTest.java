package stackweave.hotspot.method;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** HotSpot's compressed line numbers. */
class LineTableTest {

  @Test
  void smallStepsAreOneByteAndLargeOnesEscaped() {
    // +0 +5 in one byte; +4 +1 in one byte; escaped: +40 (80 = 0x50), −3 (5)
    LineTable table = decode("05" + "21" + "ff5005" + "00" + "99");
    assertEquals("5 5 5 5 6 6", lines(table, 0, 1, 2, 3, 4, 43));
    assertEquals("3 3 3", lines(table, 44, 45, 65535));
    assertEquals("-1 -1", lines(table, -1, 65536));
  }

  @Test
  void ofSeveralLinesAtOneBytecodeTheLastCounts() {
    LineTable table = decode("05" + "02" + "09" + "00");
    assertEquals("7 8 8", lines(table, 0, 1, 2));
  }

  @Test
  void entriesOutOfOrderAreSorted() {
    LineTable table = decode("ff1414" + "ff0902" + "00"); // 10 → 10, then −5 → +1
    assertEquals("-1 11 11 10 10", lines(table, 4, 5, 9, 10, 11));
  }

  @Test
  void anEmptyTableHasNoLine() {
    assertEquals("-1 -1", lines(decode("00"), 0, 1));
  }

  /** A class file's largest numbers. */
  @Test
  void numbersHave16Bits() {
    LineTable table = decode("ff" + "fefc1c" + "fefc1c" + "00");
    assertEquals("-1 65535", lines(table, 65534, 65535));
  }

  private static String lines(LineTable table, int... bcis) {
    return IntStream.of(bcis)
        .mapToObj(bci -> "" + table.lineAt(bci))
        .collect(Collectors.joining(" "));
  }

  private static LineTable decode(String hex) {
    byte[] bytes = Unsigned5Test.bytes(hex);
    return LineTable.decode(new Unsigned5(false).at(bytes, 0, bytes.length));
  }
}
