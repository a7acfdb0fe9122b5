package stackweave.agent.engine.timer.mask;

import java.nio.ByteBuffer;
import stackweave.agent.cpu.x86_64.SystemCallNumbers;
import stackweave.agent.engine.timer.threads.TimerThreads;
import stackweave.agent.linux.Errno;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.MemoryAccess;
import stackweave.agent.linux.NativeBuffer;
import stackweave.agent.linux.SelfMemory;
import stackweave.unwind.Architecture;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Whether threads can take a signal, without asking them.
 *
 * <p>{@code SigBlk} of /proc/self/task/TID/status is the mask at the moment. A thread within
 * sigtimedwait has what it waits for taken out of its mask as long (do_sigtimedwait in
 * kernel/signal.c), and one within ppoll, pselect, epoll_pwait or sigsuspend may have another mask
 * than usual. /proc/self/task/TID/syscall tells those while the thread sleeps, but not once it has
 * been woken and waits for a CPU, nor where that file is root's (a process that is not dumpable).
 *
 * <p>So an open mask counts only where the thread can't be within such a call:
 *
 * <ul>
 *   <li>It sleeps in another call, with the same mask and the same {@code voluntary_ctxt_switches}
 *       before and after. That count is raised where a sleep begins (__schedule in
 *       kernel/sched/core.c).
 *   <li>Its mask was open {@link OpenSights#ENOUGH} times, it ran in between, and the count stayed.
 *       Since it ran, it has left the call that it may have been in at first, and it has entered
 *       none since. But from where a call opens the mask to where the sleep is counted it takes a
 *       microsecond, and longer where a hypervisor sets the timer or takes the CPU away meanwhile,
 *       which counts as CPU time. So this is an answer that only counts together with another one
 *       some time later.
 * </ul>
 *
 * <p>Costs 16 µs for a thread that blocks the signal, some 50 µs for one that runs. Not
 * thread-safe.
 */
public final class SignalMasks implements AutoCloseable {
  /** What is known of a thread. */
  public enum Answer {
    /** The signal is not blocked. */
    TAKES,
    /** It is hardly blocked; another look has to say so, too. */
    SEEMS_TO_TAKE,
    /** The mask has it. */
    BLOCKS,
    /** The thread waits for it, by sigwait and the like. */
    WAITS,
    /** The mask may not be the usual one, or has not been open often enough; or it has ended. */
    UNSURE
  }

  private static final int BUFFER_BYTES = 8192;
  private static final byte[] STATE = bytes("\nState:");
  private static final byte[] BLOCKED = bytes("\nSigBlk:");
  private static final byte[] SWITCHES = bytes("\nvoluntary_ctxt_switches:");
  private static final byte[] TASKS = bytes("/proc/self/task/");
  private static final byte[] STATUS_FILE = bytes("/status\0");
  private static final byte[] SYSCALL_FILE = bytes("/syscall\0");
  private static final int PATH_BYTES = 64;
  private static final int NO_CALL = -1;
  private static final int RUNNING = -2;
  private static final int UNREADABLE = -3;
  private static final int MAX_ARGUMENTS = 6;

  /** So often the clock of a thread that runs is read, half a microsecond each. */
  private static final int MAX_CLOCKS = 50;

  /** The same of one whose clock has stood still so far. */
  private static final int MAX_CLOCKS_AT_REST = 5;

  private final int signal;
  private final Calls calls;
  private final SelfMemory memory;
  private final NativeBuffer buffer = NativeBuffer.allocate(BUFFER_BYTES);
  private final NativeBuffer time = NativeBuffer.allocate(16);
  private final NativeBuffer path = NativeBuffer.allocate(PATH_BYTES);
  private final long[] arguments = new long[MAX_ARGUMENTS];
  private int at;
  private int length;

  // What the last status said.
  private boolean runnable;

  private boolean blocked;
  private long switches;

  private boolean callsHidden;

  /** Numbers of system calls that change the mask as long as they last. */
  private record Calls(
      int sigtimedwait,
      int sigsuspend,
      int ppoll,
      int pselect,
      int epollPwait,
      int epollPwait2,
      int ioPgetevents,
      int ioUringEnter) {}

  public SignalMasks(Architecture architecture, int signal, MemoryAccess access) {
    this.signal = signal;
    this.path.bytes().put(0, TASKS);
    this.memory = new SelfMemory(access);
    this.calls =
        switch (architecture) {
          case X86_64 ->
              new Calls(
                  SystemCallNumbers.RT_SIGTIMEDWAIT,
                  SystemCallNumbers.RT_SIGSUSPEND,
                  SystemCallNumbers.PPOLL,
                  SystemCallNumbers.PSELECT6,
                  SystemCallNumbers.EPOLL_PWAIT,
                  SystemCallNumbers.EPOLL_PWAIT2,
                  SystemCallNumbers.IO_PGETEVENTS,
                  SystemCallNumbers.IO_URING_ENTER);
          case AARCH64 ->
              new Calls(
                  stackweave.agent.cpu.aarch64.SystemCallNumbers.RT_SIGTIMEDWAIT,
                  stackweave.agent.cpu.aarch64.SystemCallNumbers.RT_SIGSUSPEND,
                  stackweave.agent.cpu.aarch64.SystemCallNumbers.PPOLL,
                  stackweave.agent.cpu.aarch64.SystemCallNumbers.PSELECT6,
                  stackweave.agent.cpu.aarch64.SystemCallNumbers.EPOLL_PWAIT,
                  stackweave.agent.cpu.aarch64.SystemCallNumbers.EPOLL_PWAIT2,
                  stackweave.agent.cpu.aarch64.SystemCallNumbers.IO_PGETEVENTS,
                  stackweave.agent.cpu.aarch64.SystemCallNumbers.IO_URING_ENTER);
          case S390X -> throw new IllegalArgumentException("no timer engine for " + architecture);
        };
  }

  private static byte[] bytes(String ascii) {
    byte[] bytes = new byte[ascii.length()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) ascii.charAt(i);
    }
    return bytes;
  }

  public int signal() {
    return signal;
  }

  /**
   * Looks at a thread.
   *
   * @param sights what was seen of it before, which this look adds to
   * @param early whether it has just started: running, it can't have come to a call yet that
   *     changes its mask
   */
  Answer look(int tid, OpenSights sights, boolean early) {
    int status = open(tid, STATUS_FILE);
    if (status < 0) {
      return Answer.UNSURE;
    }
    try {
      if (early && readStatus(status) && runnable) {
        return blocked ? Answer.BLOCKS : Answer.TAKES;
      }
      return look(tid, status, sights);
    } finally {
      close(status);
    }
  }

  private Answer look(int tid, int status, OpenSights sights) {
    if (!sees(tid, status, sights)) {
      return blocked ? Answer.BLOCKS : Answer.UNSURE;
    }
    while (!sights.areEnough() && runs(tid, sights)) {
      if (!sees(tid, status, sights)) {
        return blocked ? Answer.BLOCKS : Answer.UNSURE;
      }
    }
    return sights.areEnough() ? Answer.SEEMS_TO_TAKE : lookAtCall(tid, status, sights);
  }

  /** Of a thread with an open mask that does not run. */
  private Answer lookAtCall(int tid, int status, OpenSights sights) {
    long counted = switches;
    int call = readCall(tid);
    if (call == calls.sigtimedwait && isIn(word(arguments[0]))) {
      return Answer.WAITS;
    }
    if (call == RUNNING || call == UNREADABLE || hasMaskOfItsOwn(call)) {
      return Answer.UNSURE;
    }
    if (!sees(tid, status, sights)) {
      return blocked ? Answer.BLOCKS : Answer.UNSURE;
    }
    return switches == counted ? Answer.TAKES : Answer.UNSURE;
  }

  /** Reads the status; true if the mask is open. Sights are none if it is closed. */
  private boolean sees(int tid, int status, OpenSights sights) {
    long cpu = cpuNanos(tid);
    if (!readStatus(status)) {
      return false;
    }
    if (blocked) {
      sights.clear();
    } else {
      sights.add(switches, cpu, cpuNanos(tid));
    }
    return !blocked;
  }

  /** Waits until a thread has run enough for another sight; false if it does not run now. */
  private boolean runs(int tid, OpenSights sights) {
    long first = cpuNanos(tid);
    long cpu = first;
    for (int i = 0; i < MAX_CLOCKS && cpu >= 0; i++) {
      if (sights.hasRunSince(cpu)) {
        return true;
      }
      if (i >= MAX_CLOCKS_AT_REST && cpu == first) {
        return false;
      }
      cpu = cpuNanos(tid);
    }
    return false;
  }

  /** How often the thread looked at last had gone to sleep. */
  long switches() {
    return switches;
  }

  /** The CPU time that a thread has used by now, in ns; −1 if it has ended. */
  long cpuNanos(int tid) {
    if (Libc.clock_gettime(TimerThreads.cpuClock(tid), time.address()) < 0) {
      return -1;
    }
    return time.bytes().getLong(0) * 1_000_000_000L + time.bytes().getLong(Long.BYTES);
  }

  /** Whether the kernel has hidden what call a thread was in. */
  public boolean areCallsHidden() {
    return callsHidden;
  }

  private boolean hasMaskOfItsOwn(int call) {
    return call == calls.sigsuspend
        || call == calls.ppoll && arguments[3] != 0
        || call == calls.pselect && arguments[5] != 0 && word(arguments[5]) != 0
        || (call == calls.epollPwait || call == calls.epollPwait2) && arguments[4] != 0
        || call == calls.ioPgetevents && arguments[5] != 0
        || call == calls.ioUringEnter && arguments[4] != 0;
  }

  private boolean isIn(long mask) {
    return (mask >>> signal - 1 & 1) != 0;
  }

  /** The set that a thread waits for; what can't be read is taken for all signals. */
  private long word(long address) {
    try {
      return memory.readLong(address);
    } catch (UnreadableMemoryException e) {
      return -1;
    }
  }

  /** Without garbage: threads are looked at as long as sampling goes on. */
  private int open(int tid, byte[] file) {
    ByteBuffer bytes = path.bytes();
    int end = TASKS.length;
    for (int rest = tid; rest > 0; rest /= 10) {
      end++;
    }
    int digit = end;
    for (int rest = tid; rest > 0; rest /= 10) {
      bytes.put(--digit, (byte) ('0' + rest % 10));
    }
    bytes.put(end, file);
    return Libc.openat(Libc.AT_FDCWD, path.address(), Libc.O_RDONLY | Libc.O_CLOEXEC, 0);
  }

  private static void close(int fd) {
    if (fd >= 0) {
      Libc.close(fd);
    }
  }

  private boolean read(int fd) {
    length = (int) Libc.pread(fd, buffer.address(), BUFFER_BYTES, 0);
    at = 0;
    return length > 0;
  }

  /** {@code State:\tS (sleeping)}, {@code SigBlk:\t00..00}, {@code voluntary_ctxt_switches:\t1}. */
  private boolean readStatus(int fd) {
    blocked = false;
    if (!read(fd) || !skipTo(STATE)) {
      return false;
    }
    runnable = at < length && buffer.bytes().get(at) == 'R';
    if (!skipTo(BLOCKED)) {
      return false;
    }
    blocked = isIn(number(16));
    if (!skipTo(SWITCHES)) {
      return false;
    }
    switches = number(10);
    return true;
  }

  /** To what stands behind a key at a line's begin. */
  private boolean skipTo(byte[] key) {
    ByteBuffer bytes = buffer.bytes();
    int matched = 0;
    while (at < length && matched < key.length) {
      byte b = bytes.get(at++);
      matched = b == key[matched] ? matched + 1 : b == key[0] ? 1 : 0;
    }
    while (at < length && bytes.get(at) == '\t') {
      at++;
    }
    return matched == key.length;
  }

  /** {@code 128 0x7f.. 0x..}, or {@code running}, or {@code -1} and more outside of any call. */
  private int readCall(int tid) {
    int fd = open(tid, SYSCALL_FILE);
    boolean readable = fd >= 0 && read(fd);
    int errno = readable ? 0 : Libc.errno(); // another one if the thread has ended
    close(fd);
    if (!readable) {
      callsHidden |= errno == Errno.EACCES || errno == Errno.EPERM;
      return UNREADABLE;
    }
    byte first = buffer.bytes().get(0);
    if (Character.digit(first, 10) < 0) {
      return first == '-' ? NO_CALL : RUNNING;
    }
    int call = (int) number(10);
    for (int i = 0; i < MAX_ARGUMENTS; i++) {
      at += " 0x".length();
      arguments[i] = number(16);
    }
    return call;
  }

  private long number(int radix) {
    long value = 0;
    int digit;
    while (at < length && (digit = Character.digit(buffer.bytes().get(at), radix)) >= 0) {
      value = value * radix + digit;
      at++;
    }
    return value;
  }

  @Override
  public void close() {
    memory.close();
    buffer.close();
    time.close();
    path.close();
  }
}
