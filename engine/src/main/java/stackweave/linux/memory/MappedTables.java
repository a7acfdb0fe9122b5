package stackweave.linux.memory;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.Set;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.unwind.TableMemory;

/**
 * Allocates tables in memory of their own mappings: not on the application's heap, and not counted
 * against its -XX:MaxDirectMemorySize. Pages never written take no memory. An unreachable table is
 * unmapped at a later allocation, all others by {@link #close}, after which no table may be read.
 * For one thread.
 */
public final class MappedTables implements TableMemory, AutoCloseable {
  /** Smaller tables are on the heap, since a mapping takes whole pages. */
  static final int SMALLEST_BYTES = 8 << 10;

  /** All together. Of libraries beyond that there are neither symbols nor unwind information. */
  private static final long MAX_BYTES = 256 << 20;

  private final ReferenceQueue<ByteBuffer> unreachable = new ReferenceQueue<>();
  private final Set<Mapping> mappings = new HashSet<>();
  private long bytes;

  /**
   * A mapping, kept until its buffer and every view of it are unreachable: a view references the
   * buffer.
   */
  private static final class Mapping extends PhantomReference<ByteBuffer> {
    private final long address;
    private final int length;

    Mapping(ByteBuffer buffer, ReferenceQueue<ByteBuffer> queue, long address, int length) {
      super(buffer, queue);
      this.address = address;
      this.length = length;
    }
  }

  @Override
  public ByteBuffer allocate(int length) {
    unmapUnreachable();
    if (length < SMALLEST_BYTES) {
      return ByteBuffer.allocate(length);
    }
    NativeBuffer mapped = NativeBuffer.allocate(length);
    ByteBuffer buffer = mapped.bytes();
    bytes += length;
    mappings.add(new Mapping(buffer, unreachable, mapped.address(), length));
    // JNA's buffers have native order, other than ByteBuffer.allocate's.
    return buffer.order(ByteOrder.BIG_ENDIAN);
  }

  @Override
  public boolean hasRoom(long more) {
    unmapUnreachable();
    return bytes + more <= MAX_BYTES;
  }

  private void unmapUnreachable() {
    for (Reference<?> gone = unreachable.poll(); gone != null; gone = unreachable.poll()) {
      unmap((Mapping) gone);
    }
  }

  @Override
  public void release(ByteBuffer buffer) {
    if (buffer == null || !buffer.isDirect()) {
      return;
    }
    for (Mapping mapping : mappings) {
      if (mapping.refersTo(buffer)) {
        mapping.clear();
        unmap(mapping);
        return;
      }
    }
  }

  /** Bytes mapped at present; not all need be resident. */
  public long bytes() {
    return bytes;
  }

  private void unmap(Mapping mapping) {
    if (mappings.remove(mapping)) {
      bytes -= mapping.length;
      Libc.munmap(mapping.address, mapping.length);
    }
  }

  @Override
  public void close() {
    for (Mapping mapping : mappings) {
      mapping.clear();
      Libc.munmap(mapping.address, mapping.length);
    }
    mappings.clear();
    bytes = 0;
  }
}
