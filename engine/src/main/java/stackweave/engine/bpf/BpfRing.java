package stackweave.engine.bpf;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;

/**
 * A ring buffer in which the kernel's programs write records, those of all CPUs in the order in
 * which they happen (kernel/bpf/ringbuf.c): a page with the reader's position, one with the
 * writer's, and the data, mapped twice in a row. For the drain thread.
 */
public final class BpfRing implements AutoCloseable {
  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final VarHandle INTS =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

  private static final int HEADER_BYTES = 8;
  private static final int BUSY = 1 << 31;
  private static final int DISCARDED = 1 << 30;

  private final int fd;
  private final int bytes;
  private final int page;
  private final NativeBuffer consumed;
  private final NativeBuffer produced;
  private long position;

  /** Receives records. */
  public interface Reader {
    /** A record of the buffer, which is valid for this call. */
    void record(ByteBuffer bytes, int at);
  }

  private BpfRing(int fd, int bytes, int page, NativeBuffer consumed, NativeBuffer produced) {
    this.fd = fd;
    this.bytes = bytes;
    this.page = page;
    this.consumed = consumed;
    this.produced = produced;
  }

  /**
   * Creates one.
   *
   * @param most bytes, a power of two of pages; halved until the kernel has the memory
   * @param least the fewest
   * @return null if the kernel refuses; {@link Libc#errno} has the reason
   */
  public static BpfRing open(SystemCalls calls, int most, int least) {
    int size = most;
    int fd = Bpf.createRing(calls, size);
    while (fd < 0 && size / 2 >= least) {
      size /= 2;
      fd = Bpf.createRing(calls, size);
    }
    if (fd < 0) {
      return null;
    }
    int page = (int) Libc.sysconf(Libc.SC_PAGESIZE);
    NativeBuffer consumed = NativeBuffer.map(fd, page);
    if (consumed != null) {
      int all = page + 2 * size;
      long address = Libc.mmap(0, all, Libc.PROT_READ, Libc.MAP_SHARED, fd, page);
      if (address != Libc.MAP_FAILED) {
        return new BpfRing(fd, size, page, consumed, NativeBuffer.view(address, all));
      }
      consumed.close();
    }
    Libc.close(fd);
    return null;
  }

  /** The map, for programs that write into it. */
  public int fd() {
    return fd;
  }

  /** Bytes for records. */
  public int size() {
    return bytes;
  }

  /** Where the first record begins that is not {@linkplain #release released}: a running count. */
  public long position() {
    return position;
  }

  /**
   * Where the contents of the record at a position begin in {@link #data}; −1 if there is none, or
   * it is still being written, which also holds back all behind it.
   */
  public int contents(long position) {
    if (position >= (long) LONGS.getAcquire(produced.bytes(), 0)) {
      return -1;
    }
    int at = at(position);
    return ((int) INTS.getAcquire(produced.bytes(), at) & BUSY) != 0 ? -1 : at + HEADER_BYTES;
  }

  /** All records, which are valid until they are {@linkplain #release released}. */
  public ByteBuffer data() {
    return produced.bytes();
  }

  /** The position behind a record that is not being written. */
  public long next(long position) {
    return position
        + ((produced.bytes().getInt(at(position)) & ~DISCARDED) + HEADER_BYTES + 7 & -8);
  }

  /** Frees the room of all records before a position. */
  public void release(long position) {
    this.position = position;
    LONGS.setRelease(consumed.bytes(), 0, position);
  }

  private int at(long position) {
    return page + (int) (position & bytes - 1);
  }

  /**
   * Delivers the records that are there.
   *
   * @param most records
   * @return how many
   */
  public int drain(int most, Reader reader) {
    int count = 0;
    int at = contents(position);
    while (at >= 0 && count < most) {
      if ((produced.bytes().getInt(at - HEADER_BYTES) & DISCARDED) == 0) {
        reader.record(produced.bytes(), at);
        count++;
      }
      release(next(position));
      at = contents(position);
    }
    return count;
  }

  @Override
  public void close() {
    consumed.close();
    produced.close();
    Libc.close(fd);
  }
}
