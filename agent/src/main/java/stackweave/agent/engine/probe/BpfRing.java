package stackweave.agent.engine.probe;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import stackweave.agent.engine.bpf.Bpf;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.NativeBuffer;
import stackweave.agent.linux.SystemCalls;

/**
 * A ring buffer in which the kernel's programs write records, those of all CPUs in the order in
 * which they happen (kernel/bpf/ringbuf.c): a page that says what was read, one that says what was
 * written, and the data, mapped twice in a row. For the drain thread.
 */
final class BpfRing implements AutoCloseable {
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
  interface Reader {
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
   * Makes one.
   *
   * @param most bytes, a power of two of pages; half as many, and so on, if there is not so much
   * @param least the fewest
   * @return null if the kernel refuses; {@link Libc#errno} has the reason
   */
  static BpfRing open(SystemCalls calls, int most, int least) {
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

  int fd() {
    return fd;
  }

  /**
   * Delivers what has come.
   *
   * @param most records
   * @return how many
   */
  int drain(int most, Reader reader) {
    long end = (long) LONGS.getAcquire(produced.bytes(), 0);
    int count = 0;
    while (position < end && count < most) {
      int at = page + (int) (position & bytes - 1);
      int length = (int) INTS.getAcquire(produced.bytes(), at);
      if ((length & BUSY) != 0) {
        break; // is being written
      }
      if ((length & DISCARDED) == 0) {
        reader.record(produced.bytes(), at + HEADER_BYTES);
        count++;
      }
      position += (length & ~DISCARDED) + HEADER_BYTES + 7 & -8;
      LONGS.setRelease(consumed.bytes(), 0, position);
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
