package stackweave.linux.task;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import stackweave.cpu.SystemCall;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.CpuTime;
import stackweave.linux.Errno;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;

/**
 * Reads what /proc/PID/task/TID says about a waiting thread: its system call, how long it has run
 * and waited for a CPU, where in the kernel it sleeps; also the type of a file descriptor, and the
 * signals that a thread blocks. Opens and closes a file for each answer, 5 to 10 µs, and touches no
 * file system but /proc. Allocates nothing; not thread-safe.
 */
public final class TaskFiles implements AutoCloseable {
  /** Results of {@link #readCall}. */
  public enum Answer {
    /** The thread waits in a system call or for a page, or was stopped: see {@link #call}. */
    WAITS,
    /** It runs, or could run. */
    RUNS,
    /** There is no such thread any more. */
    ENDED,
    /** This process may not read the file of any of the threads: they are not dumpable. */
    DENIED,
    /** Not known: no file descriptor is left, or the kernel has no such file. */
    UNREADABLE
  }

  /** Results of {@link #descriptor}. */
  public enum DescriptorKind {
    SOCKET,
    PIPE,
    /** What epoll_wait(2) waits on. */
    EPOLL,
    /** Another file descriptor without a path, or a device. */
    DEVICE,
    /** Something with a path: a file, a directory, or a FIFO. */
    PATH,
    UNKNOWN
  }

  /** {@link #call} of a thread that waits for a page of memory, or was stopped. */
  public static final int NO_CALL = -1;

  /** Of a thread that has not ended: the calling one, or the first of another process. */
  private static final String OWN_SYSCALL = "/proc/thread-self/syscall";

  private static final byte[] LOADAVG = bytes("/proc/loadavg\0");
  private static final byte[] SYSCALL = bytes("/syscall\0");
  private static final byte[] SCHEDSTAT = bytes("/schedstat\0");
  private static final byte[] STAT = bytes("/stat\0");
  private static final byte[] STATUS = bytes("/status\0");
  private static final byte[] WCHAN = bytes("/wchan\0");
  private static final byte[] BLOCKED = bytes("\nSigBlk:\t");
  private static final byte[] QUEUED = bytes("\nSigQ:\t");
  private static final byte[] THREADS = bytes("\nThreads:\t");
  private static final byte[] END = bytes("\0");
  private static final byte[] RUNNING = bytes("running");
  private static final byte[] SOCKET = bytes("socket:");
  private static final byte[] PIPE = bytes("pipe:");
  private static final byte[] EPOLL = bytes("anon_inode:[eventpoll]");
  private static final byte[] DEVICES = bytes("/dev/");
  private static final byte[] PIPE_WAIT = bytes("pipe_");
  private static final byte[] FIFO_WAIT = bytes("wait_for_partner");
  private static final byte[] PTRACE_STOP = bytes("ptrace_stop");
  private static final byte[] SIGNAL_STOP = bytes("do_signal_stop");
  private static final byte[] FREEZER = bytes("do_freezer_trap");
  private static final byte[] OLD_FREEZER = bytes("__refrigerator");

  /** A blank, a letter for the state, and the number of the field behind it. */
  private static final int STATE_CHARACTERS = 2;

  private static final int FIRST_NUMBER = 4;
  private static final int START_FIELD = 22;

  /** USER_HZ is 100 (include/asm-generic/param.h). */
  private static final long TICK_NANOS = 10_000_000;

  private static final int ARGUMENTS = 6;
  private static final int PATH_BYTES = 64;
  private static final int BUFFER_BYTES = 8192;

  private final NativeBuffer path = NativeBuffer.allocate(PATH_BYTES);
  private final NativeBuffer buffer = NativeBuffer.allocate(BUFFER_BYTES);
  private final SystemCalls calls;
  private final SampledProcess process;
  private final byte[] tasks;
  private final byte[] descriptors;
  private final byte[] syscallOfLiving;
  private final long[] arguments = new long[ARGUMENTS];

  /** Why the last file could not be read. */
  private int errno;

  private int length;
  private int position;
  private int call;
  private long sp;
  private long pc;

  /** Of this process. */
  public TaskFiles(SystemCalls calls) {
    this(calls, SampledProcess.OWN);
  }

  /**
   * @param calls of this machine
   * @param process whose threads and descriptors they are
   */
  public TaskFiles(SystemCalls calls, SampledProcess process) {
    this.calls = calls;
    this.process = process;
    this.tasks = bytes(process.file("task/"));
    this.descriptors = bytes(process.file("fd/"));
    this.syscallOfLiving = bytes((process.isOwn() ? OWN_SYSCALL : process.file("syscall")) + "\0");
  }

  private static byte[] bytes(String ascii) {
    return ascii.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Reads {@code syscall} of a thread: the result is consistent, because the kernel checks that the
   * thread has slept all the time (task_current_syscall in lib/syscall.c). It may wait for a thread
   * that is about to sleep, at most for a tick of the kernel's clock.
   */
  public Answer readCall(int tid) {
    if (!read(tid, SYSCALL)) {
      return switch (errno) {
        case Errno.EACCES, Errno.EPERM -> ofDenied();
        case Errno.ENOENT -> isListed(tid) ? Answer.UNREADABLE : Answer.ENDED;
        case Errno.ESRCH -> Answer.ENDED;
        default -> Answer.UNREADABLE;
      };
    }
    if (length == 0 || startsWith(RUNNING)) {
      return Answer.RUNS;
    }
    position = 0;
    call = (int) decimal();
    boolean inCall = call >= 0;
    for (int i = 0; i < ARGUMENTS; i++) {
      arguments[i] = inCall ? prefixed() : 0;
    }
    sp = prefixed();
    pc = prefixed();
    return pc == 0 ? Answer.RUNS : Answer.WAITS;
  }

  /** The system call's number, or {@link #NO_CALL}. */
  public int call() {
    return call;
  }

  /** An argument of the system call, 0 to 5; meaningless where it is a restarted one. */
  public long argument(int i) {
    return arguments[i];
  }

  /** The thread's stack pointer in user mode. */
  public long sp() {
    return sp;
  }

  /** The thread's pc in user mode. */
  public long pc() {
    return pc;
  }

  /**
   * CPU time of the thread since it began, in ns. It is the same at two moments if, and only if,
   * the thread has not run between them, provided that it did not run at the first one. Of this
   * process by the thread's clock, 0.3 µs. The kernel lets nobody else read that clock: of another
   * process it is the time in {@code schedstat}, which may be a tick old while the thread runs, and
   * a nanosecond for each time that it got a CPU, which is counted when it gets it.
   *
   * @return −1 if there is no such thread, or the kernel doesn't say (CONFIG_SCHED_INFO)
   */
  public long cpuNanos(int tid) {
    if (process.isOwn()) {
      return Libc.clockNanos(CpuTime.clock(tid), buffer);
    }
    if (!read(tid, SCHEDSTAT) || length == 0) {
      return -1;
    }
    position = 0;
    long ran = decimal();
    decimal();
    return ran + decimal();
  }

  /**
   * How long the thread could run and had no CPU since it began, in ns.
   *
   * @return −1 where the kernel doesn't say (CONFIG_SCHED_INFO)
   */
  public long runDelay(int tid) {
    if (!read(tid, SCHEDSTAT) || length == 0) {
      return -1;
    }
    position = 0;
    decimal();
    return decimal();
  }

  /**
   * How long ago the thread was started, in ns, give or take 5 ms: field 22 of its {@code stat}, in
   * ticks of a hundredth since the machine's start (proc_pid_stat(5)).
   *
   * @return −1 if that can't be read
   */
  public long age(int tid) {
    if (!read(tid, STAT)) {
      return -1;
    }
    position = length;
    while (position > 0 && buffer.bytes().get(position - 1) != ')') {
      position--; // its name may have blanks
    }
    position += STATE_CHARACTERS;
    long ticks = 0;
    for (int field = FIRST_NUMBER; field <= START_FIELD; field++) {
      ticks = decimal();
    }
    if (position >= length) {
      return -1;
    }
    long now = Libc.clockNanos(Libc.CLOCK_BOOTTIME, buffer);
    return Math.max(0, now - ticks * TICK_NANOS - TICK_NANOS / 2); // the kernel rounds down
  }

  /**
   * The signals that the thread has blocked at the moment, bit 0 for signal 1: {@code SigBlk} of
   * its {@code status} (proc_pid_status(5)).
   *
   * @return −1 if that can't be read, mostly since the thread has ended; no mask is that
   */
  public long blockedSignals(int tid) {
    if (!read(tid, STATUS) || !seek(BLOCKED)) {
      return -1;
    }
    return hexadecimal();
  }

  /**
   * Whether the thread waits, by sigwait and the like, for a signal that it otherwise blocks:
   * meanwhile {@link #blockedSignals} does not have that signal (do_sigtimedwait in
   * kernel/signal.c).
   */
  public boolean waitsForSignal(int tid) {
    return readCall(tid) == Answer.WAITS && call == SystemCall.RT_SIGTIMEDWAIT.number();
  }

  /** How many signals all processes of this user have queued, including timers: {@code SigQ}. */
  public long queuedSignals(int tid) {
    return read(tid, STATUS) && seek(QUEUED) ? decimal() : 0;
  }

  /**
   * How many threads the process has: {@code Threads}.
   *
   * @param tid one of them
   * @return −1 if that can't be read
   */
  public int threadCount(int tid) {
    return read(tid, STATUS) && seek(THREADS) ? (int) decimal() : -1;
  }

  /**
   * The last process or thread id assigned in this namespace of ids: while it does not change, no
   * thread was started. The last field of /proc/loadavg.
   *
   * @return −1 if that can't be read
   */
  public int lastId() {
    path.bytes().put(0, LOADAVG);
    if (!readPath() || length == 0) {
      return -1;
    }
    position = length;
    while (position > 0 && buffer.bytes().get(position - 1) != ' ') {
      position--;
    }
    return (int) decimal();
  }

  /** Whether the thread sleeps in one of the kernel's functions for pipes. */
  public boolean waitsForPipe(int tid) {
    return read(tid, WCHAN) && (seek(PIPE_WAIT) || seek(FIFO_WAIT));
  }

  /**
   * Whether the thread was stopped: by a debugger, a signal, or the freezer of its control group
   * (kernel/signal.c, kernel/freezer.c).
   */
  public boolean isStopped(int tid) {
    return read(tid, WCHAN)
        && (seek(PTRACE_STOP) || seek(SIGNAL_STOP) || seek(FREEZER) || seek(OLD_FREEZER));
  }

  /** The type of a descriptor of the process, by its link in /proc without access to the file. */
  public DescriptorKind descriptor(int fd) {
    if (fd < 0) {
      return DescriptorKind.UNKNOWN;
    }
    setPath(descriptors, fd, END);
    length = calls.readlink(path.address(), buffer.address(), BUFFER_BYTES);
    if (length <= 0) {
      length = 0;
      return DescriptorKind.UNKNOWN;
    }
    if (startsWith(SOCKET)) {
      return DescriptorKind.SOCKET;
    }
    if (startsWith(PIPE)) {
      return DescriptorKind.PIPE;
    }
    if (startsWith(EPOLL)) {
      return DescriptorKind.EPOLL;
    }
    return buffer.bytes().get(0) == '/' && !startsWith(DEVICES)
        ? DescriptorKind.PATH
        : DescriptorKind.DEVICE;
  }

  /** Whether the thread exists, although a file of it doesn't. */
  private boolean isListed(int tid) {
    return read(tid, SCHEDSTAT) || read(tid, WCHAN);
  }

  /**
   * The files of an ending thread belong to root, as do all files of a process that is not dumpable
   * (task_dump_owner in fs/proc/base.c). The file of a thread that lives shows which is the case.
   */
  private Answer ofDenied() {
    path.bytes().put(0, syscallOfLiving);
    if (readPath()) {
      return Answer.ENDED;
    }
    return errno == Errno.EACCES || errno == Errno.EPERM ? Answer.DENIED : Answer.UNREADABLE;
  }

  private boolean read(int tid, byte[] file) {
    setPath(tasks, tid, file);
    return readPath();
  }

  private boolean readPath() {
    length = 0;
    int fd = Libc.openat(Libc.AT_FDCWD, path.address(), Libc.O_RDONLY | Libc.O_CLOEXEC, 0);
    if (fd < 0) {
      errno = Libc.errno();
      return false;
    }
    int got = (int) Libc.read(fd, buffer.address(), BUFFER_BYTES);
    errno = got < 0 ? Libc.errno() : 0;
    Libc.close(fd);
    length = Math.max(0, got);
    return got >= 0;
  }

  private void setPath(byte[] directory, int number, byte[] file) {
    ByteBuffer bytes = path.bytes();
    bytes.put(0, directory);
    int digits = 1;
    for (int rest = number; rest >= 10; rest /= 10) {
      digits++;
    }
    int rest = number;
    for (int i = digits - 1; i >= 0; i--) {
      bytes.put(directory.length + i, (byte) ('0' + rest % 10));
      rest /= 10;
    }
    bytes.put(directory.length + digits, file);
  }

  private boolean startsWith(byte[] text) {
    return isAt(0, text);
  }

  /** Moves behind a text; false if it isn't there. */
  private boolean seek(byte[] text) {
    for (int i = 0; i < length; i++) {
      if (isAt(i, text)) {
        position = i + text.length;
        return true;
      }
    }
    return false;
  }

  private boolean isAt(int from, byte[] text) {
    if (from + text.length > length) {
      return false;
    }
    for (int i = 0; i < text.length; i++) {
      if (buffer.bytes().get(from + i) != text[i]) {
        return false;
      }
    }
    return true;
  }

  /** The next decimal number; −1 for a negative one. */
  private long decimal() {
    skipSpaces();
    if (position < length && buffer.bytes().get(position) == '-') {
      while (position < length && buffer.bytes().get(position) != ' ') {
        position++;
      }
      return -1;
    }
    long value = 0;
    for (; position < length; position++) {
      int digit = buffer.bytes().get(position) - '0';
      if (digit < 0 || digit > 9) {
        break;
      }
      value = 10 * value + digit;
    }
    return value;
  }

  /** The next hexadecimal number, after 0x. */
  private long prefixed() {
    skipSpaces();
    position += 2;
    return hexadecimal();
  }

  private long hexadecimal() {
    long value = 0;
    for (; position < length; position++) {
      int digit = Character.digit(buffer.bytes().get(position), 16);
      if (digit < 0) {
        break;
      }
      value = value << 4 | digit;
    }
    return value;
  }

  private void skipSpaces() {
    while (position < length && buffer.bytes().get(position) == ' ') {
      position++;
    }
  }

  @Override
  public void close() {
    path.close();
    buffer.close();
  }
}
