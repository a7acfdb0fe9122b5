package stackweave.unwind.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** ModifiedUtf8 against the JDK's DataOutput.writeUTF, which has that encoding. */
class ModifiedUtf8Test {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "run",
        "größe",
        "日本語",
        "\ud835\udcb3loop",
        "\u0000",
        "a\u0001b",
        "\ud800",
        "\udc00\ud800",
        "\ufffd",
        "\ufffd\ud83d\ude00"
      })
  void whatTheVmWritesComesBack(String text) throws IOException {
    byte[] bytes = modified("<" + text + ">");
    assertEquals(text, ModifiedUtf8.text(bytes, 1, bytes.length - 2));
  }

  @Test
  void plainUtf8IsReadToo() {
    byte[] bytes = "a\ud83d\ude00".getBytes(StandardCharsets.UTF_8);
    assertEquals("a\ud83d\ude00", ModifiedUtf8.text(bytes, 0, bytes.length));
  }

  @Test
  void otherBytesAreNoText() {
    for (String hex :
        new String[] {"00", "61006162", "ff", "80", "c3", "c341", "e697", "e69741", "f09d92"}) {
      byte[] bytes = bytes(hex);
      assertNull(ModifiedUtf8.text(bytes, 0, bytes.length), hex);
    }
  }

  /** As the kernel cuts at 15 bytes. */
  @Test
  void noHalfCharacterIsLeftOfACut() throws IOException {
    String text = "aé日\ud83d\ude00";
    byte[] bytes = modified(text);
    int[] bytesOf = {1, 3, 6, 12};
    int[] charactersOf = {1, 2, 3, 5};
    for (int length = 1; length <= bytes.length; length++) {
      int fitting = 0;
      while (fitting + 1 < bytesOf.length && bytesOf[fitting + 1] <= length) {
        fitting++;
      }
      assertEquals(
          text.substring(0, charactersOf[fitting]),
          ModifiedUtf8.cut(Arrays.copyOf(bytes, length), length),
          length + " bytes");
    }
    assertEquals("", ModifiedUtf8.cut(bytes, 0));
    assertEquals("\ufffdcaf", ModifiedUtf8.cut(bytes("ff636166"), 4));
  }

  private static byte[] modified(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new DataOutputStream(bytes).writeUTF(text);
    return Arrays.copyOfRange(bytes.toByteArray(), Short.BYTES, bytes.size());
  }

  private static byte[] bytes(String hex) {
    byte[] bytes = new byte[hex.length() / 2];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) Integer.parseInt(hex, 2 * i, 2 * i + 2, 16);
    }
    return bytes;
  }

  /** {@code "%.7s..%.6s"}, of bytes. */
  @ParameterizedTest
  @CsvSource({
    "工作线程池-12, 工作..池-12",
    "工作线程池-1, 工作..池-1",
    "größeräumer-eins, größe..r-eins",
    "Dispatch-Thread21, Dispatc..read21"
  })
  void aNameWithoutItsMiddleHasWholeCharacters(String name, String shown) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    byte[] cut = new byte[15];
    System.arraycopy(bytes, 0, cut, 0, 7);
    cut[7] = '.';
    cut[8] = '.';
    System.arraycopy(bytes, bytes.length - 6, cut, 9, 6);
    assertEquals(shown, ModifiedUtf8.cut(cut, cut.length));
  }
}
