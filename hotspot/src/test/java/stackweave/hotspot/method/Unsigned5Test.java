package stackweave.hotspot.method;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Encoded numbers as the comments of HotSpot's compressedStream.hpp and unsigned5.hpp have them.
 */
public class Unsigned5Test {

  @ParameterizedTest
  @CsvSource({
    // before 20: the low codes 0..191 stand for themselves
    "false, 00, 0",
    "false, bf, 191",
    "false, c000, 192",
    "false, c001, 256",
    "false, ff00, 255",
    // since: no byte is zero
    "true, 01, 0",
    "true, bf, 190",
    "true, c001, 191",
    "true, c002, 255",
    "true, c101, 192",
  })
  void readsOneNumber(boolean excludesZero, String hex, int value) {
    byte[] bytes = bytes(hex);
    Unsigned5 stream = new Unsigned5(excludesZero).at(bytes, 0, bytes.length);
    assertEquals(value, stream.next());
    assertFalse(stream.hasMore());
  }

  @ParameterizedTest
  @CsvSource({"00, 0", "01, -1", "02, 1", "03, -2", "bf, -96"})
  void theSignIsTheLowestBit(String hex, int value) {
    byte[] bytes = bytes(hex);
    assertEquals(value, new Unsigned5(false).at(bytes, 0, bytes.length).nextSigned());
  }

  @ParameterizedTest
  @CsvSource({"''", "c0", "c0c0c0"})
  void neverReadsBehindTheEnd(String hex) {
    byte[] bytes = bytes(hex);
    Unsigned5 stream = new Unsigned5(false).at(bytes, 0, bytes.length);
    stream.next();
    assertEquals(0, stream.next());
    assertEquals(0, stream.nextByte());
  }

  public static byte[] bytes(String hex) {
    byte[] bytes = new byte[hex.length() / 2];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
    }
    return bytes;
  }
}
