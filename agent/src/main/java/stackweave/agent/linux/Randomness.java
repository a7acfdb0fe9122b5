package stackweave.agent.linux;

import java.util.SplittableRandom;
import stackweave.agent.cpu.x86_64.SystemCallNumbers;

/**
 * Random numbers of the kernel, without the JDK's SecureRandom, which would keep /dev/random and
 * /dev/urandom open for the rest of the JVM's life. Thread-safe.
 */
public final class Randomness {
  private static final int GRND_NONBLOCK = 1;

  private Randomness() {}

  /**
   * A number that nobody can guess; where the kernel has none to give (before 3.17, or just after
   * its start), one that nobody will guess by accident.
   */
  public static long next() {
    try (NativeBuffer word = NativeBuffer.allocate(Long.BYTES)) {
      long length =
          Libc.syscall(
              Numbers.of(
                  SystemCallNumbers.GETRANDOM,
                  stackweave.agent.cpu.aarch64.SystemCallNumbers.GETRANDOM),
              word.address(),
              Long.BYTES,
              GRND_NONBLOCK,
              0,
              0,
              0);
      return length == Long.BYTES
          ? word.bytes().getLong(0)
          : new SplittableRandom(System.nanoTime() ^ Libc.getpid()).nextLong();
    }
  }
}
