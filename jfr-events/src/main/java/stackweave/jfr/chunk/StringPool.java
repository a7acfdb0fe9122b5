package stackweave.jfr.chunk;

import java.io.IOException;
import java.util.Arrays;
import stackweave.unwind.hash.LongIndex;

/**
 * The strings that events of a chunk have by their key. They are read when the first of them is
 * asked for: from the chunk's checkpoints, the last one first, as each says where the one before it
 * is. Pools of other types are passed over. Not thread-safe.
 */
final class StringPool {
  private static final int WINDOW_BYTES = 1 << 16;
  private static final int CHECKPOINT_TYPE = 1;

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
    ChunkInput input = source.input(WINDOW_BYTES, header);
    long position = header.checkpoint();
    while (true) {
      long before = readCheckpoint(input, position);
      if (before == 0) {
        return;
      }
      // Only backwards, so that the chain has an end.
      if (before > 0 || position + before < header.position() + ChunkHeader.BYTES) {
        throw new IOException("the checkpoint at " + position + " names none before it");
      }
      position += before;
    }
  }

  /** Returns how much further the checkpoint before this one is; 0 for none. */
  private long readCheckpoint(ChunkInput input, long position) throws IOException {
    input.range(position, header.end());
    long size = input.readLong();
    if (size <= 0 || size > header.end() - position) {
      throw new IOException("the checkpoint at " + position + " has " + size + " bytes");
    }
    input.range(input.position(), position + size);
    if (input.readLong() != CHECKPOINT_TYPE) {
      throw new IOException("at " + position + " is no checkpoint");
    }
    input.readLong(); // time
    input.readLong(); // duration
    final long before = input.readLong();
    input.readByte(); // what sort of checkpoint
    for (int pools = input.readCount(); pools > 0; pools--) {
      long type = input.readLong();
      int count = input.readCount();
      ValueType layout = metadata.type(type);
      for (int i = 0; i < count; i++) {
        long key = input.readLong();
        if (layout.isText()) {
          put(key, input.readText(null));
        } else {
          layout.skip(input);
        }
      }
    }
    return before;
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
