package stackweave.cpu;

import java.util.Locale;

/**
 * The system calls that the agent makes, or that a thread may wait in, with their numbers on x86-64
 * (arch/x86/entry/syscalls/syscall_64.tbl) and AArch64 (include/uapi/asm-generic/unistd.h): −1
 * where a processor has none. Each call in which threads wait has the {@link CallKind} of what they
 * wait for. Immutable.
 */
public enum SystemCall {
  READ(0, 63, CallKind.DESCRIPTOR),
  WRITE(1, 64, CallKind.DESCRIPTOR),
  OPEN(2, -1, CallKind.FILE),
  STAT(4, -1, CallKind.FILE),
  FSTAT(5, 80, CallKind.FILE),
  LSTAT(6, -1, CallKind.FILE),
  POLL(7, -1, CallKind.POLL),
  PREAD64(17, 67, CallKind.DESCRIPTOR),
  PWRITE64(18, 68, CallKind.DESCRIPTOR),
  READV(19, 65, CallKind.DESCRIPTOR),
  WRITEV(20, 66, CallKind.DESCRIPTOR),
  SELECT(23, -1, CallKind.MANY),
  MSYNC(26, 227, CallKind.FILE),
  NANOSLEEP(35, 101, CallKind.SLEEP),
  SENDFILE(40, 71, CallKind.DESCRIPTOR),
  CONNECT(42, 203, CallKind.SOCKET),
  ACCEPT(43, 202, CallKind.SOCKET),
  SENDTO(44, 206, CallKind.SOCKET),
  RECVFROM(45, 207, CallKind.SOCKET),
  SENDMSG(46, 211, CallKind.SOCKET),
  RECVMSG(47, 212, CallKind.SOCKET),
  WAIT4(61, 260, CallKind.CHILD),
  FCNTL(72, 25, CallKind.FILE),
  FLOCK(73, 32, CallKind.FILE),
  FSYNC(74, 82, CallKind.FILE),
  FDATASYNC(75, 83, CallKind.FILE),
  FTRUNCATE(77, 46, CallKind.FILE),
  GETDENTS(78, -1, CallKind.FILE),
  RENAME(82, -1, CallKind.FILE),
  MKDIR(83, -1, CallKind.FILE),
  UNLINK(87, -1, CallKind.FILE),
  READLINK(89, -1),
  SETGROUPS(116, 159),
  SETRESUID(117, 147),
  SETRESGID(119, 149),
  SETFSUID(122, 151),
  SETFSGID(123, 152),
  CAPGET(125, 90),
  CAPSET(126, 91),
  RT_SIGTIMEDWAIT(128, 137),
  RT_SIGSUSPEND(130, 133, CallKind.SIGNAL),
  SYNC(162, 81, CallKind.FILE),
  GETTID(186, 178),
  FUTEX(202, 98, CallKind.FUTEX),
  GETDENTS64(217, 61, CallKind.FILE),
  RESTART_SYSCALL(219, 128, CallKind.RESTARTED),
  TIMER_CREATE(222, 107),
  TIMER_SETTIME(223, 110),
  TIMER_GETTIME(224, 108),
  TIMER_DELETE(226, 111),
  CLOCK_GETTIME(228, 113),
  CLOCK_NANOSLEEP(230, 115, CallKind.SLEEP),
  EPOLL_WAIT(232, -1, CallKind.MANY),
  WAITID(247, 95, CallKind.CHILD),
  OPENAT(257, 56, CallKind.FILE),
  NEWFSTATAT(262, 79, CallKind.FILE),
  UNLINKAT(263, 35, CallKind.FILE),
  READLINKAT(267, 78),
  PSELECT6(270, 72, CallKind.MANY),
  PPOLL(271, 73, CallKind.POLL),
  GET_ROBUST_LIST(274, 100),
  SPLICE(275, 76, CallKind.DESCRIPTOR),
  EPOLL_PWAIT(281, 22, CallKind.MANY),
  FALLOCATE(285, 47, CallKind.FILE),
  ACCEPT4(288, 242, CallKind.SOCKET),
  PREADV(295, 69, CallKind.DESCRIPTOR),
  PWRITEV(296, 70, CallKind.DESCRIPTOR),
  PERF_EVENT_OPEN(298, 241),
  RECVMMSG(299, 243, CallKind.SOCKET),
  SYNCFS(306, 267, CallKind.FILE),
  SENDMMSG(307, 269, CallKind.SOCKET),
  RENAMEAT2(316, 276, CallKind.FILE),
  GETRANDOM(318, 278),
  MEMFD_CREATE(319, 279),
  BPF(321, 280),
  COPY_FILE_RANGE(326, 285, CallKind.FILE),
  STATX(332, 291, CallKind.FILE),
  OPENAT2(437, 437, CallKind.FILE),
  EPOLL_PWAIT2(441, 441, CallKind.MANY),
  FUTEX_WAITV(449, 449, CallKind.FUTEX);

  /** Numbers of system calls are below this. */
  private static final int NUMBERS = 512;

  private static final CallKind[] BY_NUMBER = new CallKind[NUMBERS];

  static {
    for (SystemCall call : values()) {
      if (call.number >= 0) {
        BY_NUMBER[call.number] = call.kind;
      }
    }
  }

  final int x86;
  final int aarch64;
  private final int number;
  private final CallKind kind;

  SystemCall(int x86, int aarch64) {
    this(x86, aarch64, CallKind.OTHER);
  }

  SystemCall(int x86, int aarch64, CallKind kind) {
    this.x86 = x86;
    this.aarch64 = aarch64;
    this.kind = kind;
    this.number =
        switch (System.getProperty("os.arch", "").toLowerCase(Locale.ROOT)) {
          case "amd64", "x86_64" -> x86;
          case "aarch64" -> aarch64;
          default -> -1;
        };
  }

  /**
   * Its number on this machine's processor; negative where that has none, which the kernel refuses.
   */
  public int number() {
    return number;
  }

  /** What a thread waits for in the call of a number of this machine's processor. */
  public static CallKind kind(int number) {
    CallKind kind = number >= 0 && number < NUMBERS ? BY_NUMBER[number] : null;
    return kind == null ? CallKind.OTHER : kind;
  }
}
