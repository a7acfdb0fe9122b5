package stackweave.linux;

import java.util.SplittableRandom;
import stackweave.cpu.SystemCall;

/**
 * Random numbers by getrandom(2). Not the JDK's SecureRandom, which would keep /dev/random and
 * /dev/urandom open for the rest of the JVM's life. Thread-safe.
 */
public final class Randomness {
  private static final int GRND_NONBLOCK = 1;

  private Randomness() {}

  /**
   * An unpredictable number. If the kernel has none (before 3.17, or just after its start), only a
   * number unlikely to be repeated.
   */
  public static long next() {
    try (NativeBuffer word = NativeBuffer.allocate(Long.BYTES)) {
      long length =
          Libc.syscall(
              SystemCall.GETRANDOM.number(), word.address(), Long.BYTES, GRND_NONBLOCK, 0, 0, 0);
      return length == Long.BYTES
          ? word.bytes().getLong(0)
          : new SplittableRandom(System.nanoTime() ^ Libc.getpid()).nextLong();
    }
  }
}
