package stackweave.linux;

import java.io.IOException;
import java.util.Locale;
import stackweave.cpu.SystemCall;

/**
 * Changes the credentials of a single thread, by raw system calls: the kernel has user, groups and
 * capabilities per thread, and only the C library changes them for all threads together. Used by
 * the command line; acts on the calling thread.
 */
public final class ThreadRights {
  /** linux/capability.h. */
  private static final int CAPABILITY_VERSION_3 = 0x20080522;

  private static final int CAPABILITY_HEADER = 2 * Integer.BYTES;
  private static final int CAPABILITY_WORDS = 6;

  /** The effective set of the upper 32 capabilities; that of the lower ones is at 0. */
  private static final int UPPER = 3 * Integer.BYTES;

  private ThreadRights() {}

  /**
   * Gives the calling thread another user's effective ids and groups and no effective capability,
   * even if the user is root. Real and saved user ids stay the caller's, so that the other user may
   * neither trace this process nor send it signals. Threads started by it inherit its credentials.
   *
   * @param groups the supplementary groups
   * @throws IOException if the kernel refuses any part; the thread must do nothing then
   */
  public static void actAs(int uid, int gid, int[] groups) throws IOException {
    try (NativeBuffer list = NativeBuffer.allocate(Math.max(1, groups.length) * Integer.BYTES)) {
      for (int i = 0; i < groups.length; i++) {
        list.bytes().putInt(i * Integer.BYTES, groups[i]);
      }
      must(SystemCall.SETGROUPS, groups.length, list.address(), 0);
    }
    must(SystemCall.SETRESGID, -1, gid, -1);
    must(SystemCall.SETRESUID, -1, uid, -1);
    dropCapabilities();
    // What the kernel reports now counts, not what its calls returned: an invalid id changes
    // nothing and returns the one in force.
    if (Libc.geteuid() != uid
        || (int) call(SystemCall.SETFSUID, -1, 0, 0) != uid
        || (int) call(SystemCall.SETFSGID, -1, 0, 0) != gid) {
      throw new IOException("the rights of another user can't be taken on");
    }
  }

  /** Removes all effective capabilities of the calling thread; its user stays the same. */
  public static void dropCapabilities() throws IOException {
    try (NativeBuffer header = NativeBuffer.allocate(CAPABILITY_HEADER);
        NativeBuffer sets = NativeBuffer.allocate(CAPABILITY_WORDS * Integer.BYTES)) {
      header.bytes().putInt(0, CAPABILITY_VERSION_3);
      must(SystemCall.CAPGET, header.address(), sets.address(), 0);
      sets.bytes().putInt(0, 0).putInt(UPPER, 0);
      must(SystemCall.CAPSET, header.address(), sets.address(), 0);
      must(SystemCall.CAPGET, header.address(), sets.address(), 0);
      if ((sets.bytes().getInt(0) | sets.bytes().getInt(UPPER)) != 0) {
        throw new IOException("capabilities can't be given up");
      }
    }
  }

  private static long call(SystemCall call, long a, long b, long c) {
    return Libc.syscall(call.number(), a, b, c, 0, 0, 0);
  }

  private static void must(SystemCall call, long a, long b, long c) throws IOException {
    if (call(call, a, b, c) < 0) {
      throw new IOException(call.name().toLowerCase(Locale.ROOT) + ": " + Errno.name(Libc.errno()));
    }
  }
}
