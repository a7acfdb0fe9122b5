package stackweave.linux;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import stackweave.cpu.SystemCall;

/**
 * The libc functions in use, bound by JNA with primitive parameters only; no call allocates, except
 * those that take a String. Addresses and sizes are {@code long}s. Functions return what the C
 * function returns; after −1 {@link #errno} has the reason. Variadic C functions ({@code syscall},
 * {@code ioctl}, {@code open}, {@code prctl}, {@code mremap}) are bound with fixed parameters,
 * which Linux x86-64 and AArch64 pass the same way. Initialising this class initialises JNA (about
 * 80 ms). Thread-safe.
 */
public final class Libc {
  public static final int PROT_NONE = 0;
  public static final int PROT_READ = 1;
  public static final int PROT_WRITE = 2;
  public static final int PROT_EXEC = 4;
  public static final int MAP_SHARED = 1;
  public static final int MAP_PRIVATE = 2;
  public static final int MAP_FIXED = 0x10;
  public static final int MAP_ANONYMOUS = 0x20;
  public static final int MREMAP_MAYMOVE = 1;
  public static final int MREMAP_FIXED = 2;

  /** What mmap returns on failure. */
  public static final long MAP_FAILED = -1;

  public static final int MADV_DONTFORK = 10;

  /** Since Linux 5.14. */
  public static final int MADV_POPULATE_WRITE = 23;

  public static final int F_ADD_SEALS = 1033;
  public static final int AT_FDCWD = -100;
  public static final int O_RDONLY = 0;

  /** Also the value of EFD_CLOEXEC. */
  public static final int O_CLOEXEC = 0x80000;

  /** Also the value of EFD_NONBLOCK. */
  public static final int O_NONBLOCK = 0x800;

  public static final int POLLIN = 1;
  public static final int RUSAGE_SELF = 0;
  public static final int RLIMIT_NOFILE = 7;
  public static final int RLIMIT_SIGPENDING = 11;
  public static final int SC_PAGESIZE = 30;
  public static final int CLOCK_MONOTONIC = 1;
  public static final int CLOCK_PROCESS_CPUTIME_ID = 2;
  public static final int CLOCK_THREAD_CPUTIME_ID = 3;

  /** Its resolution is the kernel's tick. */
  public static final int CLOCK_REALTIME_COARSE = 5;

  public static final int CLOCK_BOOTTIME = 7;

  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private static final int CLOCK_GETTIME = SystemCall.CLOCK_GETTIME.number();

  private static final long RTLD_DEFAULT = 0;
  private static final int RTLD_LAZY = 1;
  private static final int RTLD_NOLOAD = 4;

  static {
    // Functions stay bound after the handle is closed, since the process itself is never unloaded.
    try (NativeLibrary process = NativeLibrary.getProcess()) {
      Native.register(Libc.class, process);
    }
  }

  private Libc() {}

  /**
   * The reason of the last failure of a function of this class on this thread; see {@link Errno}.
   */
  public static int errno() {
    return Native.getLastError();
  }

  public static native long syscall(long number, long a, long b, long c, long d, long e, long f);

  public static native long mmap(
      long address, long length, int protection, int flags, int fd, long offset);

  public static native int munmap(long address, long length);

  public static native int mprotect(long address, long length, int protection);

  /** Variadic in C; {@code target} is used with {@link #MREMAP_FIXED}. */
  public static native long mremap(
      long address, long oldLength, long newLength, int flags, long target);

  public static native int madvise(long address, long length, int advice);

  public static native int fcntl(int fd, int command, long argument);

  public static native long lseek(int fd, long offset, int whence);

  /** {@code action} and {@code old} are struct sigaction, or 0. */
  public static native int sigaction(int signal, long action, long old);

  public static native int ioctl(int fd, long request, long argument);

  public static native int prctl(int option, long a, long b, long c, long d);

  public static native int open(String path, int flags, int mode);

  /** Variadic in C; {@code path} is the address of a null-terminated string. */
  public static native int openat(int directory, long path, int flags, int mode);

  public static native int close(int fd);

  public static native long read(int fd, long buffer, long length);

  public static native long write(int fd, long buffer, long length);

  public static native long pread(int fd, long buffer, long length, long offset);

  public static native int eventfd(int initial, int flags);

  /** {@code fds} is an array of two ints. */
  public static native int socketpair(int domain, int type, int protocol, long fds);

  /** {@code fds} is an array of struct pollfd: int fd, short events, short revents. */
  public static native int poll(long fds, long count, int timeoutMillis);

  /** Vectors are arrays of struct iovec: address, length. */
  public static native long process_vm_readv(
      int pid, long local, long localCount, long remote, long remoteCount, long flags);

  public static native long sysconf(int name);

  /** {@code limit} is a struct rlimit: soft, hard. */
  public static native int getrlimit(int resource, long limit);

  /**
   * The time of a clock in ns, −1 if there is none, by the system call {@code clock_gettime}: a
   * library that fakes the time, such as libfaketime, replaces the function.
   *
   * @param time has room for a struct timespec: seconds, nanoseconds
   */
  public static long clockNanos(int clock, NativeBuffer time) {
    return syscall(CLOCK_GETTIME, clock, time.address(), 0, 0, 0, 0) < 0
        ? -1
        : time.bytes().getLong(0) * NANOS_PER_SECOND + time.bytes().getLong(Long.BYTES);
  }

  /** {@code time} is a struct timespec: seconds, nanoseconds. */
  public static native int clock_getres(int clock, long time);

  /** {@code mask} is a bit set of {@code length} bytes; 0 as {@code tid} is the caller. */
  public static native int sched_getaffinity(int tid, long length, long mask);

  public static native int getpid();

  public static native int getrusage(int who, long usage);

  public static native int geteuid();

  public static native int getegid();

  public static native int getpriority(int which, int who);

  public static native int setpriority(int which, int who, int priority);

  /** Takes the addresses of a path, and of lists of pointers to strings that end with 0. */
  public static native int execve(long path, long arguments, long environment);

  /**
   * The address of a function of the vDSO, which the kernel maps into every process; 0 if the C
   * library does not list it.
   */
  public static long vdsoFunction(String name) {
    long vdso = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (vdso == 0) {
      vdso = dlopen("linux-gate.so.1", RTLD_LAZY | RTLD_NOLOAD); // as musl calls it
    }
    return vdso == 0 ? 0 : dlsym(vdso, name);
  }

  /** The address of a symbol that some library of the process exports; 0 where none does. */
  public static long symbol(String name) {
    return dlsym(RTLD_DEFAULT, name);
  }

  private static native long dlopen(String name, int flags);

  private static native long dlsym(long library, String name);
}
