package stackweave.agent.linux;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/**
 * The libc functions for files relative to a directory, and for sockets; as in {@link Libc},
 * primitives only, −1 and {@link Libc#errno} on failure; a path is the address of a null-terminated
 * string. Apart from {@link Libc} because only the command line needs them. Thread-safe.
 */
final class FileCalls {
  /** asm-generic/fcntl.h; those that differ on AArch64 are in {@code FileInterface}. */
  static final int O_CREAT = 0100;

  static final int O_EXCL = 0200;
  static final int O_NOCTTY = 0400;
  static final int O_PATH = 010000000;

  static final int AT_FDCWD = -100;
  static final int AT_EMPTY_PATH = 0x1000;

  /** linux/openat2.h. */
  static final int RESOLVE_NO_MAGICLINKS = 0x02;

  static final int RESOLVE_NO_SYMLINKS = 0x04;
  static final int RESOLVE_IN_ROOT = 0x10;

  /**
   * System call numbers of asm-generic/unistd.h, the same on every architecture from Linux 5.1 on.
   */
  static final int PIDFD_SEND_SIGNAL = 424;

  static final int OPENAT2 = 437;

  static {
    try (NativeLibrary process = NativeLibrary.getProcess()) {
      Native.register(FileCalls.class, process);
    }
  }

  private FileCalls() {}

  static native int openat(int directory, long path, int flags, int mode);

  static native int mkdirat(int directory, long path, int mode);

  static native int unlinkat(int directory, long path, int flags);

  static native int socket(int domain, int type, int protocol);

  static native int connect(int socket, long address, int length);

  static native int getsockopt(int socket, int level, int option, long value, long length);

  static native int kill(int pid, int signal);
}
