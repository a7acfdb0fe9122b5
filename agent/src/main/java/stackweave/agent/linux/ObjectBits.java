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
 * copies that slot into a message while the call lasts, and from there it is read: to a pair of
 * sockets, which every JVM has asked for by itself. About FIGURE µs; allocates nothing. Not
 * thread-safe.
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

    static native long write(int fd, Object slot, long length);
  }

  private static final int AF_UNIX = 1;
  private static final int SOCK_DGRAM = 2;

  private final NativeBuffer buffer = NativeBuffer.allocate(Long.BYTES);
  private int sender;
  private int receiver;

  /**
   * @throws UnsupportedOperationException where the kernel grants no sockets, with its reason
   */
  public ObjectBits() {
    int type = SOCK_DGRAM | Libc.O_CLOEXEC | Libc.O_NONBLOCK;
    if (Libc.socketpair(AF_UNIX, type, 0, buffer.address()) < 0) {
      String reason = Errno.name(Libc.errno());
      buffer.close();
      throw new UnsupportedOperationException("socketpair: " + reason);
    }
    sender = buffer.bytes().getInt(0);
    receiver = buffer.bytes().getInt(Integer.BYTES);
  }

  /**
   * The address of {@code object} at some moment of this call; 0 if it can't be had. A collection
   * may move the object at any time.
   */
  public long of(Object object) {
    boolean copied =
        sender >= 0
            && object != null
            && Functions.write(sender, object, Long.BYTES) == Long.BYTES
            && Libc.read(receiver, buffer.address(), Long.BYTES) == Long.BYTES;
    return copied ? buffer.bytes().getLong(0) : 0;
  }

  @Override
  public void close() {
    if (sender >= 0) {
      Libc.close(sender);
      Libc.close(receiver);
      sender = -1;
      buffer.close();
    }
  }
}
