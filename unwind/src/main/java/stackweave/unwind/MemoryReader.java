package stackweave.unwind;

/**
 * Fault-safe read access to the memory of a process, live or recorded.
 *
 * <p>A read of memory that is not there ends in {@link UnreadableMemoryException}, never in a
 * signal. Addresses are unsigned 64-bit values in a {@code long}; words have the byte order of the
 * process.
 */
public interface MemoryReader {

  /**
   * Reads one 8-byte word; need not be aligned.
   *
   * @throws UnreadableMemoryException if any of the 8 bytes can't be read
   */
  long readLong(long address) throws UnreadableMemoryException;

  /**
   * As {@link #readLong}, of a word that nothing follows from yet: a register's value that a
   * function has saved. Who comes to rely on it reads the word again, with {@link #readLong}.
   */
  default long readSaved(long address) throws UnreadableMemoryException {
    return readLong(address);
  }

  /**
   * Reads {@code length} bytes into {@code target} from {@code offset} on.
   *
   * @throws UnreadableMemoryException if not all of them can be read; the content of the target
   *     range is then undefined
   */
  void read(long address, byte[] target, int offset, int length) throws UnreadableMemoryException;

  /**
   * Reads several pieces of equal length, one behind the other, into {@code target}; in fewer steps
   * than one by one, where a reader can.
   *
   * @param addresses where the first {@code count} pieces are
   * @param length of each piece, in bytes
   * @throws UnreadableMemoryException if not all of them can be read; the content of the target is
   *     then undefined
   */
  default void readEach(long[] addresses, int count, int length, byte[] target)
      throws UnreadableMemoryException {
    for (int i = 0; i < count; i++) {
      read(addresses[i], target, i * length, length);
    }
  }

  /**
   * As {@link #readEach}, of pieces that differ in length.
   *
   * @param lengths of the pieces, in bytes
   */
  default void readPieces(long[] addresses, int[] lengths, int count, byte[] target)
      throws UnreadableMemoryException {
    int at = 0;
    for (int i = 0; i < count; i++) {
      read(addresses[i], target, at, lengths[i]);
      at += lengths[i];
    }
  }

  /**
   * Says what is read next: a reader that keeps whole pages may take them in one step. What can't
   * be read is told by the read itself.
   *
   * @param addresses the first {@code count} of them, in any order; what is no address is let pass
   */
  default void expect(long[] addresses, int count) {}

  /**
   * Where machine code is read. A copied stack can't tell how far the stack goes on above the copy,
   * and libraries may be mapped right there.
   */
  default MemoryReader code() {
    return this;
  }
}
