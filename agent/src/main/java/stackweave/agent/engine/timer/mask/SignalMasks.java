package stackweave.agent.engine.timer.mask;

import java.nio.ByteBuffer;
import stackweave.agent.cpu.x86_64.SystemCallNumbers;
import stackweave.agent.linux.CpuTime;
import stackweave.agent.linux.Errno;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.MemoryAccess;
import stackweave.agent.linux.NativeBuffer;
import stackweave.agent.linux.SelfMemory;
import stackweave.unwind.Architecture;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Finds from /proc whether threads can take a signal, without asking them. {@code SigBlk} of their
 * status is the mask at the moment, but a thread inside sigtimedwait, ppoll, pselect, epoll_pwait
 * or sigsuspend may have another mask than usual (do_sigtimedwait in kernel/signal.c). {@code
 * /proc/self/task/TID/syscall} shows such calls only while the thread sleeps, and not at all if the
 * file is root's. So an open mask counts only if the thread can't be inside such a call; {@link
 * #lookAtCall} and {@link #observe} say how that is known. Costs 16 µs for a thread that blocks the
 * signal, some 50 µs for one that runs. Used by {@link PassedOver}; not thread-safe.
 */
public final class SignalMasks implements AutoCloseable {
  /** The result of a check. */
  public enum Answer {
    /** The thread takes the signal. */
    TAKES,
    /** Probably takes the signal; another check has to confirm it. */
    SEEMS_TO_TAKE,
    /** The mask has the signal. */
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

  /** How often the clock of a running thread is read, half a microsecond each. */
  private static final int MAX_CLOCKS = 50;

  /** As {@link #MAX_CLOCKS}, if the clock has stood still so far. */
  private static final int MAX_CLOCKS_AT_REST = 5;

  private final int signal;
  private final Calls calls;
  private final SelfMemory memory;
  private final NativeBuffer buffer = NativeBuffer.allocate(BUFFER_BYTES);
  private final CpuTime cpuTime = new CpuTime();
  private final NativeBuffer path = NativeBuffer.allocate(PATH_BYTES);
  private final long[] arguments = new long[MAX_ARGUMENTS];
  private int at;
  private int length;

  // From the last status read.
  private boolean runnable;

  private boolean blocked;
  private long switches;

  private boolean callsHidden;

  /** Numbers of the system calls that change the mask while they last. */
  private record Calls(
      int sigtimedwait,
      int sigsuspend,
      int ppoll,
      int pselect,
      int epollPwait,
      int epollPwait2,
      int ioPgetevents,
      int ioUringEnter) {}

  /**
   * @param signal the signal's number, from 1 to 64
   * @param access how the process reads its own memory
   * @throws IllegalArgumentException for an architecture without a timer engine
   */
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

  /** The signal's number. */
  public int signal() {
    return signal;
  }

  /**
   * Checks a thread.
   *
   * @param sights earlier observations of it, to which this check adds
   * @param early whether it has just started: running, it can't have reached a call yet that
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
      return observe(tid, status, sights);
    } finally {
      close(status);
    }
  }

  /**
   * Observes a running thread until its mask was open {@link OpenSights#ENOUGH} times, having run
   * in between while {@code voluntary_ctxt_switches} stayed, which is incremented where a sleep
   * begins (__schedule in kernel/sched/core.c). Having run, it has left the call it may have been
   * in at first, and has entered none since. But between opening the mask and counting the sleep a
   * call takes a microsecond, longer if a hypervisor interferes; so this answer must be confirmed
   * some time later.
   */
  private Answer observe(int tid, int status, OpenSights sights) {
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

  /**
   * Checks a thread with an open mask that does not run: it takes the signal if it sleeps in
   * another call, with the same mask and the same {@code voluntary_ctxt_switches} before and after.
   */
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

  /**
   * Reads the status and adds an observation; true if the mask is open. A closed mask clears the
   * observations.
   */
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

  /** Waits until a thread has run enough for another observation; false if it does not run now. */
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

  /** How often the thread checked last had gone to sleep. */
  long switches() {
    return switches;
  }

  /** The CPU time that a thread has used by now, in ns; −1 if it has ended. */
  public long cpuNanos(int tid) {
    return cpuTime.ofThread(tid);
  }

  /** Whether the kernel did not show which call a thread was in. */
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

  /** The signal set that a thread waits for; all signals if it can't be read. */
  private long word(long address) {
    try {
      return memory.readLong(address);
    } catch (UnreadableMemoryException e) {
      return -1;
    }
  }

  /** Builds the path without allocating, since threads are checked as long as sampling lasts. */
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

  /** Moves to the value after a key at the beginning of a line. */
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
    cpuTime.close();
    path.close();
  }
}
