package stackweave.jfr.weave.format;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.jfr.chunk.ChunkInput;

/** Strings as recordings have them. */
class EncodedBytesTest {
  @ParameterizedTest
  @ValueSource(strings = {"", "run", "größe", "\ud835\udcb3", "\ud800", "a\udc00b", "\u0000\ufffd"})
  void aNameComesBack(String text) throws IOException {
    EncodedBytes bytes = new EncodedBytes(1);
    bytes.text(text);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    bytes.writeTo(new DataOutputStream(out));
    assertEquals(text, new ChunkInput(out.toByteArray()).readText());
  }
}
