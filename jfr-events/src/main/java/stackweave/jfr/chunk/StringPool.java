package stackweave.jfr.chunk;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * The strings of a chunk that its events refer to by key. They are read from the chunk's
 * checkpoints when the first of them is needed; pools of other types are skipped. Not thread-safe.
 */
final class StringPool {
  /** Characters of one chunk's strings, so that a damaged chunk does not fill the heap. */
  private static final long MAX_CHARACTERS = 256L << 20;

  private final ChunkHeader header;
  private final ChunkSource source;

  /** By their keys; null until the pools are read. */
  private Map<Long, String> texts;

  private long characters;

  StringPool(ChunkSource source, ChunkHeader header) {
    this.source = source;
    this.header = header;
  }

  /** The string of a key; "" for one that the chunk lacks. */
  String text(long key) throws IOException {
    if (texts == null) {
      texts = new HashMap<>();
      ConstantPools.read(
          source,
          header,
          (type, each, input) -> {
            if (!type.isText()) {
              return false;
            }
            put(each, input.readText(null));
            return true;
          });
    }
    return texts.getOrDefault(key, "");
  }

  private void put(long key, String text) throws IOException {
    characters += text.length();
    if (characters > MAX_CHARACTERS) {
      throw new IOException("its strings have more than " + MAX_CHARACTERS + " characters");
    }
    texts.put(key, text);
  }
}
