package stackweave.agent.linux;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.util.Map;

/**
 * Where an object lies in the heap, as bits to compare with others found on a stack: nothing is
 * ever read through them.
 *
 * <p>HotSpot hands an object to native code as the address of a slot in the calling frame that
 * holds the object's address (a local handle, which has no tag: {@code jniHandles.hpp}). The kernel
 * copies that slot into a file in memory while the call lasts, and from there it is read. About 1.2
 * µs; allocates nothing. Not thread-safe.
 */
public final class ObjectBits implements AutoCloseable {

  /** Bound apart from all other functions: an object may be passed to this one alone. */
  private static final class Functions {
    static {
      // As in Libc: what is bound stays bound.
      try (NativeLibrary process =
          NativeLibrary.getProcess(Map.of(Library.OPTION_ALLOW_OBJECTS, true))) {
        Native.register(Functions.class, process);
      }
    }

    private Functions() {}

    static native long pwrite(int fd, Object slot, long length, long offset);
  }

  private static final int CLOSE_ON_EXEC = 1;

  private final NativeBuffer buffer = NativeBuffer.allocate(Long.BYTES);
  private int fd;

  /**
   * @throws UnsupportedOperationException where the kernel grants no file in memory, with its
   *     reason
   */
  public ObjectBits(SystemCalls calls) {
    // The buffer is zeroed: an empty name.
    fd = calls.memfdCreate(buffer.address(), CLOSE_ON_EXEC);
    if (fd < 0) {
      String reason = Errno.name(Libc.errno());
      buffer.close();
      throw new UnsupportedOperationException("memfd_create: " + reason);
    }
  }

  /**
   * The address of {@code object} at some moment of this call; 0 if it can't be had. A collection
   * may move the object at any time.
   */
  public long of(Object object) {
    boolean copied =
        fd >= 0
            && object != null
            && Functions.pwrite(fd, object, Long.BYTES, 0) == Long.BYTES
            && Libc.pread(fd, buffer.address(), Long.BYTES, 0) == Long.BYTES;
    return copied ? buffer.bytes().getLong(0) : 0;
  }

  @Override
  public void close() {
    if (fd >= 0) {
      Libc.close(fd);
      fd = -1;
      buffer.close();
    }
  }
}
