package stackweave.linux;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/**
 * The calling thread's descriptor and stack, from the C library. Apart from {@link Libc}: before
 * glibc 2.34 these functions are in a library of their own, and initialising this class throws a
 * {@link LinkageError} if that isn't loaded. Thread-safe.
 */
public final class Pthreads {
  /** struct pthread_attr_t has 56 bytes on x86-64, 64 on AArch64. */
  private static final int ATTRIBUTES_BYTES = 128;

  static {
    try (NativeLibrary process = NativeLibrary.getProcess()) {
      Native.register(Pthreads.class, process);
    }
  }

  private Pthreads() {}

  /**
   * A thread's descriptor and stack.
   *
   * @param descriptor the value of pthread_self, the address of the C library's struct pthread
   * @param stackStart the lowest address of its stack, without the guard
   * @param stackBytes the stack's size, without the guard
   */
  public record Self(long descriptor, long stackStart, long stackBytes) {}

  /** The calling thread's; null if the C library doesn't say. */
  public static Self self() {
    try (NativeBuffer buffer = NativeBuffer.allocate(ATTRIBUTES_BYTES + 2 * Long.BYTES)) {
      long attributes = buffer.address() + 2 * Long.BYTES;
      long self = pthread_self();
      if (pthread_getattr_np(self, attributes) != 0) {
        return null;
      }
      int error =
          pthread_attr_getstack(attributes, buffer.address(), buffer.address() + Long.BYTES);
      pthread_attr_destroy(attributes);
      return error != 0
          ? null
          : new Self(self, buffer.bytes().getLong(0), buffer.bytes().getLong(Long.BYTES));
    }
  }

  private static native long pthread_self();

  private static native int pthread_getattr_np(long thread, long attributes);

  private static native int pthread_attr_getstack(long attributes, long start, long bytes);

  private static native int pthread_attr_destroy(long attributes);
}
