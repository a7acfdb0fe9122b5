package stackweave.jfr.chunk;

import java.io.IOException;
import java.util.Arrays;
import stackweave.unwind.hash.LongIndex;

/**
 * The strings that events of a chunk have by their key. They are read when the first of them is
 * asked for, from the chunk's checkpoints. Pools of other types are passed over. Not thread-safe.
 */
final class StringPool {
  /** Of one chunk, so that a damaged one does not fill the heap. */
  private static final long MAX_CHARACTERS = 256L << 20;

  private final ChunkHeader header;
  private final Metadata metadata;
  private final ChunkSource source;

  /** Null until the pools are read. */
  private LongIndex keys;

  private String[] texts = new String[1_024];
  private long characters;

  StringPool(ChunkSource source, ChunkHeader header, Metadata metadata) {
    this.source = source;
    this.header = header;
    this.metadata = metadata;
  }

  /** The string of a key; "" for one that the chunk lacks. */
  String text(long key) throws IOException {
    if (keys == null) {
      keys = new LongIndex();
      read();
    }
    int index = keys.find(key);
    return index < 0 ? "" : texts[index];
  }

  private void read() throws IOException {
    ConstantPools.read(
        source,
        header,
        metadata,
        (type, key, input) -> {
          if (!type.isText()) {
            return false;
          }
          put(key, input.readText(null));
          return true;
        });
  }

  private void put(long key, String text) throws IOException {
    characters += text.length();
    if (characters > MAX_CHARACTERS) {
      throw new IOException("its strings have more than " + MAX_CHARACTERS + " characters");
    }
    int index = keys.add(key);
    if (index == texts.length) {
      texts = Arrays.copyOf(texts, 2 * index);
    }
    texts[index] = text;
  }
}
