package stackweave.unwind;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Recorded memory of a process, in pieces, each at its address. A word that does not lie in one
 * piece is unreadable. Pieces are added first; after that, reading is thread-safe and allocates
 * nothing.
 */
public final class RecordedMemory implements MemoryReader {
  private record Piece(long address, ByteBuffer bytes) {
    /** The index of {@code length} bytes at an address, or -1. */
    int index(long at, int length) {
      long index = at - address;
      return index >= 0 && index <= (long) bytes.limit() - length ? (int) index : -1;
    }
  }

  private final ByteOrder order;
  private final List<Piece> pieces = new ArrayList<>();

  /**
   * Memory without a piece.
   *
   * @param order byte order of the words in the process; see {@link Architecture#byteOrder}
   */
  public RecordedMemory(ByteOrder order) {
    this.order = Objects.requireNonNull(order, "order");
  }

  /**
   * Adds a piece. Where pieces overlap, the one that was added first is read.
   *
   * @param bytes from index 0 to the limit; not copied
   * @return this
   */
  public RecordedMemory add(long address, ByteBuffer bytes) {
    pieces.add(new Piece(address, bytes.duplicate().order(order)));
    return this;
  }

  @Override
  public long readLong(long address) throws UnreadableMemoryException {
    for (int i = 0; i < pieces.size(); i++) {
      int index = pieces.get(i).index(address, Long.BYTES);
      if (index >= 0) {
        return pieces.get(i).bytes.getLong(index);
      }
    }
    throw UnreadableMemoryException.UNREADABLE;
  }

  @Override
  public void read(long address, byte[] target, int offset, int length)
      throws UnreadableMemoryException {
    Objects.checkFromIndexSize(offset, length, target.length);
    for (int i = 0; i < pieces.size(); i++) {
      int index = pieces.get(i).index(address, length);
      if (index >= 0) {
        pieces.get(i).bytes.get(index, target, offset, length);
        return;
      }
    }
    throw UnreadableMemoryException.UNREADABLE;
  }
}
