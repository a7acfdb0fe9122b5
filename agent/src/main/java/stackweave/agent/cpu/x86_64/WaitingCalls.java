package stackweave.agent.cpu.x86_64;

import stackweave.agent.cpu.CallsThatWait;

/** The system calls of x86-64 in which threads wait. Stateless. */
public final class WaitingCalls {
  /** By what they wait for. */
  public static final CallsThatWait ALL =
      new CallsThatWait(
          /* onDescriptor= */ new int[] {
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
          },
          /* onSocket= */ new int[] {
            SystemCallNumbers.CONNECT,
            SystemCallNumbers.ACCEPT,
            SystemCallNumbers.ACCEPT4,
            SystemCallNumbers.SENDTO,
            SystemCallNumbers.RECVFROM,
            SystemCallNumbers.SENDMSG,
            SystemCallNumbers.RECVMSG,
            SystemCallNumbers.RECVMMSG,
            SystemCallNumbers.SENDMMSG
          },
          /* poll= */ new int[] {SystemCallNumbers.POLL, SystemCallNumbers.PPOLL},
          /* onMany= */ new int[] {
            SystemCallNumbers.SELECT,
            SystemCallNumbers.PSELECT6,
            SystemCallNumbers.EPOLL_WAIT,
            SystemCallNumbers.EPOLL_PWAIT,
            SystemCallNumbers.EPOLL_PWAIT2
          },
          /* sleep= */ new int[] {SystemCallNumbers.NANOSLEEP, SystemCallNumbers.CLOCK_NANOSLEEP},
          /* forChild= */ new int[] {SystemCallNumbers.WAIT4, SystemCallNumbers.WAITID},
          /* futex= */ new int[] {SystemCallNumbers.FUTEX, SystemCallNumbers.FUTEX_WAITV},
          /* onFile= */ new int[] {
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
          },
          /* forSignal= */ new int[] {SystemCallNumbers.RT_SIGSUSPEND},
          /* restarted= */ new int[] {SystemCallNumbers.RESTART_SYSCALL});

  private WaitingCalls() {}
}
