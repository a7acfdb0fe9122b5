package stackweave.jfr.weave.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.chunk.ChunkBytes;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkSource;
import stackweave.jfr.chunk.Metadata;

/** Layouts that no JDK has yet. */
class TypeWriterTest {
  private static final int EVENT = 100;
  private static final int MANY = 200;

  @TempDir private Path directory;

  private Metadata metadata(ChunkBytes chunk) throws IOException {
    byte[] bytes = chunk.build();
    Path file = Files.write(directory.resolve("chunk.jfr"), bytes);
    try (ChunkSource source = new ChunkSource(file)) {
      return source.metadata(ChunkHeader.of(ByteBuffer.wrap(bytes, 0, ChunkHeader.BYTES), 0));
    }
  }

  private static TypeWriter writer(Metadata metadata) throws IOException {
    return new TypeWriter(
        metadata, "test.Event", TypeWriter.Known.needed("number", TypeWriter.Holds.NUMBER, "long"));
  }

  private static byte[] written(TypeWriter writer) throws IOException {
    EncodedBytes bytes = new EncodedBytes(1);
    writer.write(bytes);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    bytes.writeTo(new DataOutputStream(out));
    return out.toByteArray();
  }

  @Test
  void whatIsNotKnownIsLeftEmpty() throws IOException {
    ChunkBytes chunk =
        new ChunkBytes()
            .type(MANY, "test.Two", "a", ChunkBytes.INT, "", "b", ChunkBytes.STRING, "")
            .type(
                EVENT,
                "test.Event",
                "two",
                MANY,
                "",
                "number",
                ChunkBytes.LONG,
                "",
                "key",
                MANY,
                "constantPool",
                "list",
                MANY,
                "dimension");
    TypeWriter writer = writer(metadata(chunk));
    assertArrayEquals(new byte[] {0, 0, 7, 0, 0}, written(writer.set(0, 7)));
  }

  /** Ten fields of ten fields of ten fields …: a value of nothing would be 10⁷ bytes. */
  @Test
  void fieldsOfFieldsAreBounded() throws IOException {
    ChunkBytes chunk = new ChunkBytes();
    long inner = ChunkBytes.LONG;
    for (int level = 0; level < 7; level++) {
      Object[] fields = new Object[30];
      for (int i = 0; i < 10; i++) {
        fields[3 * i] = "f" + i;
        fields[3 * i + 1] = inner;
        fields[3 * i + 2] = "";
      }
      inner = MANY + level;
      chunk.type(inner, "test.Many" + level, fields);
    }
    chunk.type(EVENT, "test.Event", "number", ChunkBytes.LONG, "", "many", inner, "");
    Metadata metadata = metadata(chunk);
    IOException e = assertThrows(IOException.class, () -> writer(metadata));
    assertTrue(
        e.getMessage().matches("its field f\\d is too large to be left empty"), e.getMessage());
  }

  /** The size of an event counts its own bytes, of which there are more for more. */
  @Test
  void aSizeCountsItself() throws IOException {
    for (int size : new int[] {1, 126, 127, 128, 16_381, 16_382, 16_383, 2_097_148, 2_097_149}) {
      EncodedBytes bytes = new EncodedBytes(1);
      bytes.sizeWithItself(size);
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      bytes.writeTo(new DataOutputStream(out));
      long read = 0;
      for (int i = 0; i < out.size(); i++) {
        read |= (out.toByteArray()[i] & 0x7fL) << 7 * i;
      }
      assertEquals(size + out.size(), read, "of " + size);
    }
  }
}
