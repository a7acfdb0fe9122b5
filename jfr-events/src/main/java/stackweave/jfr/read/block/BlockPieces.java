package stackweave.jfr.read.block;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import stackweave.jfr.event.BlockFormat;
import stackweave.jfr.event.DefinitionBlock;

/**
 * Puts the blocks of one session together from {@code stackweave.Definitions} events, which may
 * come in any order, and reads each when its last piece is there. Sizes that events claim cost no
 * memory. For readers that get the events from JFR's own reader. Not thread-safe.
 */
public final class BlockPieces {
  /**
   * The most bytes of incomplete blocks; above it the oldest is dropped. Most of these never become
   * complete: the recording lost the rest, or they are damaged.
   */
  private static final long MAX_PARTIAL_BYTES = 1 << 26;

  /** What framing and rounding add to a block that does not deflate. */
  private static final int SPARE_BYTES = 1_024;

  private static final int REFERENCE_BYTES = 8;

  private static final String[] WORDS = new String[DefinitionBlock.WORDS];

  static {
    for (int i = 0; i < WORDS.length; i++) {
      WORDS[i] = BlockFormat.wordName(i);
    }
  }

  /** An incomplete block. Its memory depends on its events, not on the number that they claim. */
  private static final class Partial {
    final int size;
    final byte[][] pieces;
    int there;

    Partial(int size, int pieces) {
      this.size = size;
      this.pieces = new byte[pieces][];
    }

    long bytes() {
      return (long) pieces.length * REFERENCE_BYTES + (long) there * DefinitionBlock.PIECE_BYTES;
    }

    void put(int piece, long[] words) {
      if (pieces[piece] == null) {
        pieces[piece] = new byte[DefinitionBlock.PIECE_BYTES];
        there++;
      }
      ByteBuffer.wrap(pieces[piece])
          .order(ByteOrder.LITTLE_ENDIAN)
          .asLongBuffer()
          .put(words, 0, WORDS.length);
    }

    byte[] deflated() {
      ByteBuffer all = ByteBuffer.allocate(pieces.length * DefinitionBlock.PIECE_BYTES);
      for (byte[] piece : pieces) {
        all.put(piece);
      }
      return all.array();
    }
  }

  /** The oldest first. */
  private final Map<Long, Partial> partials = new LinkedHashMap<>();

  private long partialBytes;

  /**
   * Takes an event, and gives what its block defines to {@code definitions} if that is whole now.
   *
   * @throws IOException if the event or the block is damaged, or of a format that came later
   */
  public void add(RecordedEvent event, DefinitionReceiver definitions) throws IOException {
    long[] words = new long[WORDS.length];
    for (int i = 0; i < words.length; i++) {
      words[i] = event.getLong(WORDS[i]);
    }
    add(
        event.getLong("block"),
        event.getInt("piece"),
        event.getInt("pieces"),
        event.getInt("size"),
        words,
        definitions);
  }

  /**
   * The same of an event's fields.
   *
   * @param words those from {@code w00} on, {@link DefinitionBlock#WORDS} of them
   */
  public void add(
      long block, int piece, int pieces, int size, long[] words, DefinitionReceiver definitions)
      throws IOException {
    if (size < 1 || size > BlockDecoder.MAX_BYTES || pieces < 1 || pieces > mostPieces(size)) {
      throw new IOException(pieces + " pieces of a block of definitions claim " + size + " bytes");
    }
    if (piece < 0 || piece >= pieces) {
      throw new IOException("piece " + piece + " of " + pieces + " of a block of definitions");
    }
    Partial partial = partials.get(block);
    if (partial == null) {
      partial = new Partial(size, pieces);
      partials.put(block, partial);
    } else if (partial.pieces.length != pieces || partial.size != size) {
      throw new IOException("a block of definitions has no certain size");
    } else {
      partialBytes -= partial.bytes();
    }
    partial.put(piece, words);
    if (partial.there == pieces) {
      partials.remove(block);
      BlockDecoder.decode(partial.deflated(), size, definitions);
    } else {
      partialBytes += partial.bytes();
      dropOldest();
    }
  }

  /** RFC 1951's fixed code, the worst that a deflater may use, has nine bits for a byte at most. */
  private static long mostPieces(int size) {
    return 1 + (size + size / 8 + SPARE_BYTES) / DefinitionBlock.PIECE_BYTES;
  }

  private void dropOldest() {
    Iterator<Partial> oldest = partials.values().iterator();
    while (partialBytes > MAX_PARTIAL_BYTES) {
      partialBytes -= oldest.next().bytes();
      oldest.remove();
    }
  }
}
