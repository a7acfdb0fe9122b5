package stackweave.linux;

import java.util.Locale;
import java.util.Optional;
import stackweave.cpu.SystemCall;
import stackweave.unwind.Architecture;

/**
 * The system calls without a libc function, by architecture. Functions return what the kernel
 * returns, or −1 with the reason in {@link Libc#errno}. Thread-safe.
 */
public enum SystemCalls {
  X86_64(Architecture.X86_64),
  AARCH64(Architecture.AARCH64);

  private static final Optional<SystemCalls> CURRENT = find();

  private static final int AT_FDCWD = -100;

  private final Architecture architecture;

  SystemCalls(Architecture architecture) {
    this.architecture = architecture;
  }

  /** The calls of the running JVM; empty on an architecture that the engines don't support. */
  public static Optional<SystemCalls> current() {
    return CURRENT;
  }

  private static Optional<SystemCalls> find() {
    return switch (System.getProperty("os.arch", "").toLowerCase(Locale.ROOT)) {
      case "amd64", "x86_64" -> Optional.of(X86_64);
      case "aarch64" -> Optional.of(AARCH64);
      default -> Optional.empty();
    };
  }

  /** A number of the kernel's interface on the running JVM's architecture. */
  static int number(int x86, int aarch64) {
    SystemCalls calls = CURRENT.orElse(null);
    if (calls == null) {
      throw new UnsupportedOperationException("only on x86-64 and AArch64");
    }
    return calls == X86_64 ? x86 : aarch64;
  }

  /** The architecture as the unwinder knows it. */
  public Architecture architecture() {
    return architecture;
  }

  /**
   * {@code perf_event_open(attr, tid, cpu, group, flags)}: a file descriptor, or −1 and {@link
   * Libc#errno}.
   */
  public int perfEventOpen(long attr, int tid, int cpu, int groupFd, long flags) {
    return (int)
        Libc.syscall(SystemCall.PERF_EVENT_OPEN.number(), attr, tid, cpu, groupFd, flags, 0);
  }

  /** The calling thread's id in the OS. */
  public int gettid() {
    return (int) Libc.syscall(SystemCall.GETTID.number(), 0, 0, 0, 0, 0, 0);
  }

  /**
   * {@code getdents64(fd, buffer, length)}: bytes of struct linux_dirent64, 0 at the end, or −1.
   */
  public int getdents64(int fd, long buffer, int length) {
    return (int) Libc.syscall(SystemCall.GETDENTS64.number(), fd, buffer, length, 0, 0, 0);
  }

  /** {@code memfd_create(name, flags)} for a name in native memory: a file descriptor, or −1. */
  public int memfdCreate(long name, int flags) {
    return (int) Libc.syscall(SystemCall.MEMFD_CREATE.number(), name, flags, 0, 0, 0, 0);
  }

  /** {@code get_robust_list(tid, head, length)}; {@code head} and {@code length} are words. */
  public int getRobustList(int tid, long head, long length) {
    return (int) Libc.syscall(SystemCall.GET_ROBUST_LIST.number(), tid, head, length, 0, 0, 0);
  }

  /** {@code timer_create(clock, event, id)}; {@code id} is an int: the kernel's, not libc's. */
  public int timerCreate(int clock, long event, long id) {
    return (int) Libc.syscall(SystemCall.TIMER_CREATE.number(), clock, event, id, 0, 0, 0);
  }

  /** {@code timer_settime(id, 0, spec, NULL)}: relative to the clock's present time. */
  public int timerSettime(int id, long spec) {
    return (int) Libc.syscall(SystemCall.TIMER_SETTIME.number(), id, 0, spec, 0, 0, 0);
  }

  /** {@code timer_gettime(id, spec)}. */
  public int timerGettime(int id, long spec) {
    return (int) Libc.syscall(SystemCall.TIMER_GETTIME.number(), id, spec, 0, 0, 0, 0);
  }

  /** {@code timer_delete(id)}. */
  public int timerDelete(int id) {
    return (int) Libc.syscall(SystemCall.TIMER_DELETE.number(), id, 0, 0, 0, 0, 0);
  }

  /** {@code bpf(command, attributes, length)}; a file descriptor, 0, or −1. */
  public int bpf(int command, long attributes, int length) {
    return (int) Libc.syscall(SystemCall.BPF.number(), command, attributes, length, 0, 0, 0);
  }

  /**
   * {@code readlink(path, buffer, length)}: bytes without a null, or −1. On x86-64 the call that
   * the JDK makes, which filters allow; AArch64 has {@code readlinkat} only.
   */
  public int readlink(long path, long buffer, int length) {
    return (int)
        switch (this) {
          case X86_64 -> Libc.syscall(SystemCall.READLINK.number(), path, buffer, length, 0, 0, 0);
          case AARCH64 ->
              Libc.syscall(SystemCall.READLINKAT.number(), AT_FDCWD, path, buffer, length, 0, 0);
        };
  }
}
