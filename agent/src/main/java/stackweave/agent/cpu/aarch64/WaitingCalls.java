package stackweave.agent.cpu.aarch64;

import stackweave.agent.cpu.CallsThatWait;

/** The system calls of AArch64 in which threads wait. Stateless. */
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
          /* poll= */ new int[] {SystemCallNumbers.PPOLL},
          /* onMany= */ new int[] {
            SystemCallNumbers.PSELECT6,
            SystemCallNumbers.EPOLL_PWAIT,
            SystemCallNumbers.EPOLL_PWAIT2
          },
          /* sleep= */ new int[] {SystemCallNumbers.NANOSLEEP, SystemCallNumbers.CLOCK_NANOSLEEP},
          /* forChild= */ new int[] {SystemCallNumbers.WAIT4, SystemCallNumbers.WAITID},
          /* futex= */ new int[] {SystemCallNumbers.FUTEX, SystemCallNumbers.FUTEX_WAITV},
          /* onFile= */ new int[] {
            SystemCallNumbers.OPENAT,
            SystemCallNumbers.OPENAT2,
            SystemCallNumbers.FSTAT,
            SystemCallNumbers.NEWFSTATAT,
            SystemCallNumbers.STATX,
            SystemCallNumbers.FCNTL,
            SystemCallNumbers.FLOCK,
            SystemCallNumbers.FSYNC,
            SystemCallNumbers.FDATASYNC,
            SystemCallNumbers.FTRUNCATE,
            SystemCallNumbers.FALLOCATE,
            SystemCallNumbers.GETDENTS64,
            SystemCallNumbers.RENAMEAT2,
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
