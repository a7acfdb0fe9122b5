package stackweave.agent.cpu.aarch64;

/** Numbers of system calls. Source: include/uapi/asm-generic/unistd.h. */
public final class SystemCallNumbers {
  public static final int EPOLL_PWAIT = 22;
  public static final int GETDENTS64 = 61;
  public static final int PSELECT6 = 72;
  public static final int PPOLL = 73;
  public static final int READLINKAT = 78;
  public static final int NEWFSTATAT = 79;
  public static final int CAPGET = 90;
  public static final int CAPSET = 91;
  public static final int GET_ROBUST_LIST = 100;
  public static final int TIMER_CREATE = 107;
  public static final int TIMER_GETTIME = 108;
  public static final int TIMER_SETTIME = 110;
  public static final int TIMER_DELETE = 111;
  public static final int RT_SIGSUSPEND = 133;
  public static final int RT_SIGTIMEDWAIT = 137;
  public static final int SETRESUID = 147;
  public static final int SETRESGID = 149;
  public static final int SETFSUID = 151;
  public static final int SETFSGID = 152;
  public static final int SETGROUPS = 159;
  public static final int GETTID = 178;
  public static final int PERF_EVENT_OPEN = 241;
  public static final int GETRANDOM = 278;
  public static final int MEMFD_CREATE = 279;
  public static final int BPF = 280;
  public static final int STATX = 291;
  public static final int IO_PGETEVENTS = 292;
  public static final int IO_URING_ENTER = 426;
  public static final int EPOLL_PWAIT2 = 441;

  private SystemCallNumbers() {}
}
