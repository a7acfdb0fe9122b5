package stackweave.agent.cpu.x86_64;

/** The system calls of x86-64 in which threads wait, by what they wait for. Stateless. */
public final class WaitingCalls {
  private WaitingCalls() {}

  /** Those that wait for what their first argument, a descriptor, is. */
  public static int[] onDescriptor() {
    return new int[] {
      SystemCallNumbers.READ,
      SystemCallNumbers.WRITE,
      SystemCallNumbers.PREAD64,
      SystemCallNumbers.PWRITE64,
      SystemCallNumbers.READV,
      SystemCallNumbers.WRITEV,
      SystemCallNumbers.PREADV,
      SystemCallNumbers.PWRITEV,
      SystemCallNumbers.SENDFILE,
      SystemCallNumbers.SPLICE
    };
  }

  /** Those on sockets alone. */
  public static int[] onSocket() {
    return new int[] {
      SystemCallNumbers.CONNECT,
      SystemCallNumbers.ACCEPT,
      SystemCallNumbers.ACCEPT4,
      SystemCallNumbers.SENDTO,
      SystemCallNumbers.RECVFROM,
      SystemCallNumbers.SENDMSG,
      SystemCallNumbers.RECVMSG,
      SystemCallNumbers.RECVMMSG,
      SystemCallNumbers.SENDMMSG
    };
  }

  /** Those whose first argument is an array of struct pollfd, the second its length. */
  public static int[] poll() {
    return new int[] {SystemCallNumbers.POLL, SystemCallNumbers.PPOLL};
  }

  /** Those that wait for several descriptors. */
  public static int[] onMany() {
    return new int[] {
      SystemCallNumbers.SELECT,
      SystemCallNumbers.PSELECT6,
      SystemCallNumbers.EPOLL_WAIT,
      SystemCallNumbers.EPOLL_PWAIT,
      SystemCallNumbers.EPOLL_PWAIT2
    };
  }

  /** Those that wait for a time. */
  public static int[] sleep() {
    return new int[] {SystemCallNumbers.NANOSLEEP, SystemCallNumbers.CLOCK_NANOSLEEP};
  }

  /** Those that wait for a child process. */
  public static int[] forChild() {
    return new int[] {SystemCallNumbers.WAIT4, SystemCallNumbers.WAITID};
  }

  /** Those that wait for a word of memory. */
  public static int[] futex() {
    return new int[] {SystemCallNumbers.FUTEX, SystemCallNumbers.FUTEX_WAITV};
  }

  /** Those on files and directories alone. */
  public static int[] onFile() {
    return new int[] {
      SystemCallNumbers.OPEN,
      SystemCallNumbers.OPENAT,
      SystemCallNumbers.OPENAT2,
      SystemCallNumbers.STAT,
      SystemCallNumbers.FSTAT,
      SystemCallNumbers.LSTAT,
      SystemCallNumbers.NEWFSTATAT,
      SystemCallNumbers.STATX,
      SystemCallNumbers.FCNTL,
      SystemCallNumbers.FLOCK,
      SystemCallNumbers.FSYNC,
      SystemCallNumbers.FDATASYNC,
      SystemCallNumbers.FTRUNCATE,
      SystemCallNumbers.FALLOCATE,
      SystemCallNumbers.GETDENTS,
      SystemCallNumbers.GETDENTS64,
      SystemCallNumbers.RENAME,
      SystemCallNumbers.RENAMEAT2,
      SystemCallNumbers.MKDIR,
      SystemCallNumbers.UNLINK,
      SystemCallNumbers.UNLINKAT,
      SystemCallNumbers.SYNC,
      SystemCallNumbers.SYNCFS,
      SystemCallNumbers.MSYNC,
      SystemCallNumbers.COPY_FILE_RANGE
    };
  }

  /** What the kernel shows of a call that was interrupted and goes on. */
  public static int[] restarted() {
    return new int[] {SystemCallNumbers.RESTART_SYSCALL};
  }

  /** For a signal, with the mask of signals replaced meanwhile. */
  public static int[] forSignal() {
    return new int[] {SystemCallNumbers.RT_SIGSUSPEND};
  }
}
