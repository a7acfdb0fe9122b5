package stackweave.agent.cpu.x86_64;

/** Numbers of system calls. Source: arch/x86/entry/syscalls/syscall_64.tbl. */
public final class SystemCallNumbers {
  public static final int SETGROUPS = 116;
  public static final int SETRESUID = 117;
  public static final int SETRESGID = 119;
  public static final int SETFSUID = 122;
  public static final int SETFSGID = 123;
  public static final int CAPGET = 125;
  public static final int CAPSET = 126;
  public static final int RT_SIGTIMEDWAIT = 128;
  public static final int RT_SIGSUSPEND = 130;
  public static final int GETTID = 186;
  public static final int GETDENTS64 = 217;
  public static final int TIMER_CREATE = 222;
  public static final int TIMER_SETTIME = 223;
  public static final int TIMER_GETTIME = 224;
  public static final int TIMER_DELETE = 226;
  public static final int NEWFSTATAT = 262;
  public static final int READLINKAT = 267;
  public static final int PSELECT6 = 270;
  public static final int PPOLL = 271;
  public static final int GET_ROBUST_LIST = 274;
  public static final int EPOLL_PWAIT = 281;
  public static final int PERF_EVENT_OPEN = 298;
  public static final int GETRANDOM = 318;
  public static final int MEMFD_CREATE = 319;
  public static final int BPF = 321;
  public static final int STATX = 332;
  public static final int IO_PGETEVENTS = 333;
  public static final int IO_URING_ENTER = 426;
  public static final int EPOLL_PWAIT2 = 441;

  private SystemCallNumbers() {}
}
