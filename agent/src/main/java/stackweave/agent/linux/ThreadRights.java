package stackweave.agent.linux;

import java.io.IOException;
import stackweave.agent.cpu.x86_64.SystemCallNumbers;

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
      check(
          "setgroups",
          Libc.syscall(
              Numbers.of(
                  SystemCallNumbers.SETGROUPS,
                  stackweave.agent.cpu.aarch64.SystemCallNumbers.SETGROUPS),
              groups.length,
              list.address(),
              0,
              0,
              0,
              0));
    }
    check(
        "setresgid",
        Libc.syscall(
            Numbers.of(
                SystemCallNumbers.SETRESGID,
                stackweave.agent.cpu.aarch64.SystemCallNumbers.SETRESGID),
            -1,
            gid,
            -1,
            0,
            0,
            0));
    check(
        "setresuid",
        Libc.syscall(
            Numbers.of(
                SystemCallNumbers.SETRESUID,
                stackweave.agent.cpu.aarch64.SystemCallNumbers.SETRESUID),
            -1,
            uid,
            -1,
            0,
            0,
            0));
    dropCapabilities();
    mustBe(uid, gid);
  }

  /** Removes all effective capabilities of the calling thread; its user stays the same. */
  public static void dropCapabilities() throws IOException {
    try (NativeBuffer header = NativeBuffer.allocate(CAPABILITY_HEADER);
        NativeBuffer sets = NativeBuffer.allocate(CAPABILITY_WORDS * Integer.BYTES)) {
      header.bytes().putInt(0, CAPABILITY_VERSION_3);
      int capget =
          Numbers.of(
              SystemCallNumbers.CAPGET, stackweave.agent.cpu.aarch64.SystemCallNumbers.CAPGET);
      int capset =
          Numbers.of(
              SystemCallNumbers.CAPSET, stackweave.agent.cpu.aarch64.SystemCallNumbers.CAPSET);
      check("capget", Libc.syscall(capget, header.address(), sets.address(), 0, 0, 0, 0));
      clearEffective(sets);
      check("capset", Libc.syscall(capset, header.address(), sets.address(), 0, 0, 0, 0));
      check("capget", Libc.syscall(capget, header.address(), sets.address(), 0, 0, 0, 0));
      if ((sets.bytes().getInt(0) | sets.bytes().getInt(3 * Integer.BYTES)) != 0) {
        throw new IOException("capabilities can't be given up");
      }
    }
  }

  /**
   * Clears the effective sets. The layout is effective, permitted, inheritable for the lower 32
   * capabilities, then for the upper.
   */
  private static void clearEffective(NativeBuffer sets) {
    sets.bytes().putInt(0, 0).putInt(3 * Integer.BYTES, 0);
  }

  /** Checks the ids that the kernel reports now, not what its calls returned. */
  private static void mustBe(int uid, int gid) throws IOException {
    // An invalid id changes nothing and returns the one in force.
    long fileUser =
        Libc.syscall(
            Numbers.of(
                SystemCallNumbers.SETFSUID,
                stackweave.agent.cpu.aarch64.SystemCallNumbers.SETFSUID),
            -1,
            0,
            0,
            0,
            0,
            0);
    long fileGroup =
        Libc.syscall(
            Numbers.of(
                SystemCallNumbers.SETFSGID,
                stackweave.agent.cpu.aarch64.SystemCallNumbers.SETFSGID),
            -1,
            0,
            0,
            0,
            0,
            0);
    if (Libc.geteuid() != uid || (int) fileUser != uid || (int) fileGroup != gid) {
      throw new IOException("the rights of another user can't be taken on");
    }
  }

  private static void check(String call, long result) throws IOException {
    if (result < 0) {
      throw new IOException(call + ": " + Errno.name(Libc.errno()));
    }
  }
}
