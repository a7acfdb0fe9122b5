package stackweave.jfr.chunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.chunk.ChunkBytes.Bytes;

/** Chains of checkpoints, with damage that JFR never writes. */
class ConstantPoolsTest {
  private static final int SYMBOL = 20;

  @TempDir private Path directory;

  private static ChunkBytes chunk() {
    return new ChunkBytes().type(SYMBOL, "test.Symbol", "string", ChunkBytes.STRING, "");
  }

  /** One pool with one constant. */
  private static Bytes pool(long key, String text) {
    return ChunkBytes.bytes().numbers(1, SYMBOL, 1, key).text(text);
  }

  private List<String> read(byte[] chunk) throws IOException {
    Path file = Files.write(directory.resolve("chunk.jfr"), chunk);
    ByteBuffer header = ByteBuffer.allocate(ChunkHeader.BYTES);
    header.put(chunk, 0, ChunkHeader.BYTES);
    List<String> constants = new ArrayList<>();
    try (ChunkSource source = new ChunkSource(file)) {
      ConstantPools.read(
          source,
          ChunkHeader.of(header, 0),
          (type, key, input) -> constants.add(key + " " + input.readText()));
    }
    return constants;
  }

  @Test
  void theLastCheckpointComesFirst() throws IOException {
    ChunkBytes chunk = chunk().checkpoint(0, pool(1, "one"));
    chunk.checkpoint(chunk.toLastCheckpoint(), pool(2, "two"));
    assertEquals(List.of("2 two", "1 one"), read(chunk.build()));
  }

  /**
   * A checkpoint inside the constants of another could have one of its own: a small file would be
   * read over and over.
   */
  @Test
  void checkpointsThatOverlapAreRefused() throws IOException {
    ChunkBytes chunk = chunk().checkpoint(0, pool(1, "one"));
    chunk.checkpoint(chunk.toLastCheckpoint(), pool(2, "two"));
    byte[] bytes = chunk.build();
    int last = (int) ByteBuffer.wrap(bytes).getLong(16);
    int first = ChunkHeader.BYTES;
    // The first one's size now reaches into the last one.
    bytes[first] = (byte) ((bytes[first] & 0x7f) + 2 | 0x80);
    assertTrue((bytes[first] & 0x7f) > last - first);
    IOException e = assertThrows(IOException.class, () -> read(bytes));
    assertEquals(
        "the checkpoint at " + first + " has " + (last - first + 2) + " bytes", e.getMessage());
  }
}
