package stackweave.linux;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.util.Map;

/**
 * The address of an object in the heap, as bits to compare with values found on a stack; nothing
 * may be read through them. HotSpot passes an object to native code as the address of a slot that
 * holds the object's address (a local handle, untagged: {@code jniHandles.hpp}). The kernel copies
 * that slot during the call, into a memory file, or into a socket if {@link
 * GuardedCall#MEMFD_CREATE} must not be used, from where it is read. About 1.2 µs with a file, half
 * as much again with sockets; allocates nothing. Not thread-safe.
 */
public final class ObjectBits implements AutoCloseable {

  /** Bound apart from all others, as only these may be passed an object. */
  private static final class Functions {
    static {
      // As in Libc, functions stay bound.
      try (NativeLibrary process =
          NativeLibrary.getProcess(Map.of(Library.OPTION_ALLOW_OBJECTS, true))) {
        Native.register(Functions.class, process);
      }
    }

    private Functions() {}

    static native long pwrite(int fd, Object slot, long length, long offset);

    static native long write(int fd, Object slot, long length);
  }

  private static final int MFD_CLOEXEC = 1;
  private static final int AF_UNIX = 1;
  private static final int SOCK_DGRAM = 2;

  private final NativeBuffer buffer = NativeBuffer.allocate(Long.BYTES);
  private static final int NONE = -1;

  private int target;

  /** The receiving socket; none if the target is a file. */
  private int receiver = NONE;

  /**
   * @param policy of the calling thread
   * @throws UnsupportedOperationException if the kernel grants neither, with its reason
   */
  public ObjectBits(SystemCalls calls, CallPolicy policy) {
    if (policy.allows(GuardedCall.MEMFD_CREATE)) {
      // The buffer is zeroed: an empty name.
      target = calls.memfdCreate(buffer.address(), MFD_CLOEXEC);
      if (target >= 0) {
        return;
      }
    }
    int type = SOCK_DGRAM | Libc.O_CLOEXEC | Libc.O_NONBLOCK;
    if (Libc.socketpair(AF_UNIX, type, 0, buffer.address()) < 0) {
      String reason = Errno.name(Libc.errno());
      buffer.close();
      throw new UnsupportedOperationException("socketpair: " + reason);
    }
    target = buffer.bytes().getInt(0);
    receiver = buffer.bytes().getInt(Integer.BYTES);
  }

  /**
   * The address of {@code object} at some moment of this call; 0 if not available. A collection may
   * move the object at any time.
   */
  public long of(Object object) {
    boolean copied = target >= 0 && object != null && copy(object);
    return copied ? buffer.bytes().getLong(0) : 0;
  }

  private boolean copy(Object object) {
    if (receiver == NONE) {
      return Functions.pwrite(target, object, Long.BYTES, 0) == Long.BYTES
          && Libc.pread(target, buffer.address(), Long.BYTES, 0) == Long.BYTES;
    }
    return Functions.write(target, object, Long.BYTES) == Long.BYTES
        && Libc.read(receiver, buffer.address(), Long.BYTES) == Long.BYTES;
  }

  @Override
  public void close() {
    if (target >= 0) {
      Libc.close(target);
      target = NONE;
      if (receiver >= 0) {
        Libc.close(receiver);
      }
      buffer.close();
    }
  }
}
