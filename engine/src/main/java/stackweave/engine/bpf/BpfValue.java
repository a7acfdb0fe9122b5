package stackweave.engine.bpf;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;

/**
 * Longs that the kernel's programs share with this process: a map with one value, mapped into
 * memory. Programs reach it by {@link BpfCode#setMapValue}. For the drain thread.
 */
public final class BpfValue implements AutoCloseable {
  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private static final int PAGE = 4_096;

  private final int fd;
  private final NativeBuffer memory;

  private BpfValue(int fd, NativeBuffer memory) {
    this.fd = fd;
    this.memory = memory;
  }

  /**
   * Creates one, zeroed.
   *
   * @param bytes up to a page
   * @return null if the kernel refuses; {@link Libc#errno} has the reason
   */
  public static BpfValue open(SystemCalls calls, int bytes) {
    int fd = Bpf.createValue(calls, bytes);
    NativeBuffer memory = fd < 0 ? null : NativeBuffer.map(fd, PAGE);
    if (memory == null) {
      if (fd >= 0) {
        Libc.close(fd);
      }
      return null;
    }
    return new BpfValue(fd, memory);
  }

  /** The map, for programs. */
  public int fd() {
    return fd;
  }

  /** The long at an offset in bytes. */
  public long get(int at) {
    return (long) LONGS.getAcquire(memory.bytes(), at);
  }

  /** Sets the long at an offset in bytes. */
  public void set(int at, long value) {
    memory.bytes().putLong(at, value);
  }

  @Override
  public void close() {
    memory.close();
    Libc.close(fd);
  }
}
