package stackweave.jfr.read;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import stackweave.jfr.event.DefinitionBlock;

/**
 * Puts the blocks of one session together from {@code stackweave.Definitions} events, which may
 * come in any order, and reads each when its last piece is there. For readers that take the events
 * from JFR themselves. Not thread-safe.
 */
public final class BlockPieces {
  private static final int MAX_PIECES = 1 << 16;

  private static final String[] WORDS = new String[DefinitionBlock.WORDS];

  static {
    for (int i = 0; i < WORDS.length; i++) {
      WORDS[i] = DefinitionBlock.wordName(i);
    }
  }

  /** A block that is not whole. */
  private static final class Partial {
    final ByteBuffer deflated;
    final boolean[] there;
    int missing;

    Partial(int pieces) {
      deflated =
          ByteBuffer.allocate(pieces * DefinitionBlock.PIECE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      there = new boolean[pieces];
      missing = pieces;
    }
  }

  private final Map<Long, Partial> partials = new HashMap<>();

  /**
   * Takes an event, and gives what its block defines to {@code definitions} if that is whole now.
   *
   * @throws IOException if the block is damaged, or of a format that came later
   */
  public void add(RecordedEvent event, Definitions definitions) throws IOException {
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
  void add(long block, int piece, int pieces, int size, long[] words, Definitions definitions)
      throws IOException {
    if (pieces < 1 || pieces > MAX_PIECES || piece < 0 || piece >= pieces) {
      throw new IOException("piece " + piece + " of " + pieces + " of a block of definitions");
    }
    Partial partial = partials.computeIfAbsent(block, b -> new Partial(pieces));
    if (partial.there.length != pieces) {
      throw new IOException("a block of definitions has no certain number of pieces");
    }
    for (int i = 0; i < words.length; i++) {
      partial.deflated.putLong(piece * DefinitionBlock.PIECE_BYTES + 8 * i, words[i]);
    }
    if (!partial.there[piece]) {
      partial.there[piece] = true;
      partial.missing--;
    }
    if (partial.missing == 0) {
      partials.remove(block);
      BlockDecoder.decode(partial.deflated.array(), size, definitions);
    }
  }
}
