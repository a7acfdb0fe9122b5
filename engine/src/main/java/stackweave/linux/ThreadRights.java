package stackweave.linux;

import java.io.IOException;
import java.util.Locale;
import stackweave.cpu.SystemCall;

/**
 * Changes the credentials of a single thread, by raw system calls: the kernel has user, groups and
 * capabilities per thread, and only the C library changes them for all threads together. Used by
 * the command line, and for {@link FileRights}; acts on the calling thread.
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
    setGroups(groups);
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
    setEffective(0);
    if (effective() != 0) {
      throw new IOException("capabilities can't be given up");
    }
  }

  /** Sets the supplementary groups of the calling thread. */
  static void setGroups(int[] groups) throws IOException {
    try (NativeBuffer list = NativeBuffer.allocate(Math.max(1, groups.length) * Integer.BYTES)) {
      for (int i = 0; i < groups.length; i++) {
        list.bytes().putInt(i * Integer.BYTES, groups[i]);
      }
      must(SystemCall.SETGROUPS, groups.length, list.address(), 0);
    }
  }

  /** The effective capabilities of the calling thread, by their numbers. */
  static long effective() throws IOException {
    try (NativeBuffer header = header();
        NativeBuffer sets = sets(header)) {
      return word(sets, 0);
    }
  }

  /** The capabilities that the calling thread may make effective. */
  static long permitted() throws IOException {
    try (NativeBuffer header = header();
        NativeBuffer sets = sets(header)) {
      return word(sets, Integer.BYTES);
    }
  }

  /** Sets the effective capabilities of the calling thread. */
  static void setEffective(long capabilities) throws IOException {
    try (NativeBuffer header = header();
        NativeBuffer sets = sets(header)) {
      sets.bytes().putInt(0, (int) capabilities).putInt(UPPER, (int) (capabilities >>> 32));
      must(SystemCall.CAPSET, header.address(), sets.address(), 0);
    }
  }

  private static NativeBuffer header() {
    NativeBuffer header = NativeBuffer.allocate(CAPABILITY_HEADER);
    header.bytes().putInt(0, CAPABILITY_VERSION_3);
    return header;
  }

  private static NativeBuffer sets(NativeBuffer header) throws IOException {
    NativeBuffer sets = NativeBuffer.allocate(CAPABILITY_WORDS * Integer.BYTES);
    must(SystemCall.CAPGET, header.address(), sets.address(), 0);
    return sets;
  }

  /** The lower 32 capabilities of a set are at {@code at}, the upper ones behind all lower sets. */
  private static long word(NativeBuffer sets, int at) {
    return Integer.toUnsignedLong(sets.bytes().getInt(at))
        | (long) sets.bytes().getInt(UPPER + at) << 32;
  }

  static long call(SystemCall call, long a, long b, long c) {
    return Libc.syscall(call.number(), a, b, c, 0, 0, 0);
  }

  private static void must(SystemCall call, long a, long b, long c) throws IOException {
    if (call(call, a, b, c) < 0) {
      throw new IOException(call.name().toLowerCase(Locale.ROOT) + ": " + Errno.name(Libc.errno()));
    }
  }
}
