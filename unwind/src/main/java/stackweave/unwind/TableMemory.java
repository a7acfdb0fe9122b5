package stackweave.unwind;

import java.nio.ByteBuffer;

/**
 * Memory for large tables of primitives. The agent uses memory that it maps itself, because the
 * heap belongs to the application; tools and tests use the {@link #HEAP}.
 *
 * <p>Belongs to one thread.
 */
public interface TableMemory {
  /** The Java heap: nothing to release. */
  TableMemory HEAP =
      new TableMemory() {
        @Override
        public ByteBuffer allocate(int bytes) {
          return ByteBuffer.allocate(bytes);
        }

        @Override
        public void release(ByteBuffer buffer) {
          // The collector does that.
        }
      };

  /**
   * Zeroed memory, big-endian at first as every new buffer is. It stays while the buffer or a view
   * of it is reachable, and no longer than this memory is open.
   *
   * @throws OutOfMemoryError if there is none
   */
  ByteBuffer allocate(int bytes);

  /**
   * Whether a copy of so many bytes of a file is to be allocated: a process may have mapped any
   * number of large files.
   */
  default boolean hasRoom(long more) {
    return true;
  }

  /**
   * Gives memory back at once. Neither the buffer nor a view of it may be used from then on.
   *
   * @param buffer what {@link #allocate} has returned, not a view of it; null is ignored
   */
  void release(ByteBuffer buffer);
}
