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
   * As {@link #readLong}, for a saved register on whose value the walk does not rely yet. A walk
   * that uses the value later reads the word again with {@link #readLong}.
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
   * The reader of machine code. A copied stack can't be read for that: it takes addresses above the
   * copy for the stack, and libraries may be mapped there.
   */
  default MemoryReader code() {
    return this;
  }
}
