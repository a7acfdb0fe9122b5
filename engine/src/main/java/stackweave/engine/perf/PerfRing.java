package stackweave.engine.perf;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;

/**
 * One CPU's ring, shared with the kernel: a control page, then data. The kernel writes records at
 * the head, the agent takes them from the tail. For the drain thread only.
 *
 * <p>Memory ordering: (kernel/events/ring_buffer.c) the head is read with acquire before any byte
 * below it; the tail is written with release after the last byte below it was read. Records are
 * multiples of 8 bytes and the ring's size is a power of two, so 8-byte words never straddle its
 * end; longer pieces do.
 */
final class PerfRing implements AutoCloseable {
  private static final int DATA_HEAD = 1024;
  private static final int DATA_TAIL = 1032;
  private static final int HEADER_BYTES = 8;

  /** The largest record without a stack. */
  private static final int LARGEST_BYTES = 128;

  private final int cpu;
  private final int fd;
  private final NativeBuffer mapping;
  private final ByteBuffer control;
  private final ByteBuffer data;
  private final int mask;
  private long tail;
  private long head;

  private PerfRing(int cpu, int fd, NativeBuffer mapping, int pageSize, int dataBytes) {
    this.cpu = cpu;
    this.fd = fd;
    this.mapping = mapping;
    this.control = mapping.bytes().order(ByteOrder.nativeOrder());
    this.data = control.slice(pageSize, dataBytes).order(ByteOrder.nativeOrder());
    this.mask = dataBytes - 1;
  }

  /**
   * Maps the ring of the event {@code fd}; the ring then owns the descriptor.
   *
   * @param dataBytes a power of two, at least a page
   * @return null if the kernel refuses; Libc.errno() has the reason, and the caller keeps the
   *     descriptor
   */
  static PerfRing map(int cpu, int fd, int pageSize, int dataBytes) {
    NativeBuffer mapping = NativeBuffer.map(fd, pageSize + dataBytes);
    return mapping == null ? null : new PerfRing(cpu, fd, mapping, pageSize, dataBytes);
  }

  int cpu() {
    return cpu;
  }

  int fd() {
    return fd;
  }

  /** Reads how far the kernel has written; records up to there are complete. */
  void readHead() {
    // An aligned word, so it is read at once. A view of the buffer would be slow while the method
    // is interpreted.
    head = control.getLong(DATA_HEAD);
    VarHandle.acquireFence();
  }

  /** Whether all records below the head last read are taken. */
  boolean isEmpty() {
    return tail == head;
  }

  /** Whether the record at the tail lies within what was written, as the kernel guarantees. */
  boolean isSound() {
    int size = size();
    return size >= HEADER_BYTES && (size & 7) == 0 && size <= head - tail;
  }

  int type() {
    return type(0);
  }

  /** The type of the record that begins {@code above} bytes after the tail. */
  int type(int above) {
    return data.getInt(((int) tail + above) & mask);
  }

  int misc() {
    return data.getShort(((int) tail & mask) + 4) & 0xffff;
  }

  /** Bytes of the record at the tail, its header included. */
  int size() {
    return size(0);
  }

  /** Bytes of the record that begins {@code above} bytes after the tail. */
  int size(int above) {
    return data.getShort((((int) tail + above) & mask) + 6) & 0xffff;
  }

  /** Bytes of all records from the tail to the head last read. */
  int waiting() {
    return (int) (head - tail);
  }

  /** Whether there may have been no room for a record since the head was read. */
  boolean isFull() {
    return mask + 1 - waiting() < LARGEST_BYTES;
  }

  /** The word at an offset (a multiple of 8) of the record at the tail. */
  long getLong(int offset) {
    return data.getLong(((int) tail + offset) & mask);
  }

  /** The 32-bit word at an offset (a multiple of 4) of the record at the tail. */
  int getInt(int offset) {
    return data.getInt(((int) tail + offset) & mask);
  }

  /** The byte at an offset of the record at the tail, unsigned. */
  int getByte(int offset) {
    return data.get(((int) tail + offset) & mask) & 0xff;
  }

  /** Copies a piece of the record at the tail. */
  void copy(int offset, byte[] target, int targetOffset, int length) {
    int from = ((int) tail + offset) & mask;
    int first = Math.min(length, mask + 1 - from);
    data.get(from, target, targetOffset, first);
    data.get(0, target, targetOffset + first, length - first);
  }

  /** Releases the record at the tail to the kernel. */
  void take() {
    release(tail + size());
  }

  /** Releases everything up to the head, unread. */
  void takeAll() {
    release(head);
  }

  private void release(long until) {
    tail = until;
    VarHandle.releaseFence();
    control.putLong(DATA_TAIL, tail);
  }

  @Override
  public void close() {
    mapping.close();
    Libc.close(fd);
  }
}
