package stackweave.agent.engine;

import java.nio.ByteBuffer;
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
 * <p>So an open mask counts only where the thread can't be within such a call. It enters one by a
 * sleep, which {@code voluntary_ctxt_switches} counts at its begin (__schedule in
 * kernel/sched/core.c). With the same count before and after, it has not entered one in between;
 * and it was in none at the end if it has run in between, or has slept in another call. One that
 * has never slept was never in one. Costs some 40 µs a thread. Not thread-safe.
 */
final class SignalMasks implements AutoCloseable {
  /** What is known of a thread. */
  enum Answer {
    /** The signal is not blocked. */
    TAKES,
    /** The mask has it. */
    BLOCKS,
    /** The thread waits for it, by sigwait and the like. */
    WAITS,
    /** The mask may not be the usual one; or the thread has ended. */
    UNSURE
  }

  /** CPU time after which a woken thread has left the call that it slept in, in ns. */
  private static final long RAN_NANOS = 10_000;

  private static final int BUFFER_BYTES = 8192;
  private static final byte[] STATE = bytes("\nState:");
  private static final byte[] BLOCKED = bytes("\nSigBlk:");
  private static final byte[] SWITCHES = bytes("\nvoluntary_ctxt_switches:");
  private static final int NO_CALL = -1;
  private static final int RUNNING = -2;
  private static final int UNREADABLE = -3;
  private static final int MOST_ARGUMENTS = 6;

  /** So often a thread's clock is read, half a microsecond each, to see whether it runs. */
  private static final int MOST_CLOCKS = 50;

  private final int signal;
  private final Calls calls;
  private final SelfMemory memory;
  private final NativeBuffer buffer = NativeBuffer.allocate(BUFFER_BYTES);
  private final NativeBuffer time = NativeBuffer.allocate(16);
  private final long[] arguments = new long[MOST_ARGUMENTS];
  private int at;
  private int length;

  // What the last status said.
  private boolean runnable;
  private boolean blocked;
  private long switches;

  private boolean callsHidden;

  /** Numbers of system calls that change the mask as long as they last. */
  private record Calls(
      int sigtimedwait, int sigsuspend, int ppoll, int pselect, int epollPwait, int epollPwait2) {}

  SignalMasks(Architecture architecture, int signal, MemoryAccess access) {
    this.signal = signal;
    this.memory = new SelfMemory(access);
    this.calls =
        switch (architecture) {
          case X86_64 -> new Calls(128, 130, 271, 270, 281, 441);
          case AARCH64, S390X -> new Calls(137, 133, 73, 72, 22, 441);
        };
  }

  private static byte[] bytes(String ascii) {
    byte[] bytes = new byte[ascii.length()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) ascii.charAt(i);
    }
    return bytes;
  }

  int signal() {
    return signal;
  }

  /** Takes an open mask for the usual one: of a thread that can't wait for signals yet. */
  Answer lookOnce(int tid) {
    return !readStatus(tid) ? Answer.UNSURE : blocked ? Answer.BLOCKS : Answer.TAKES;
  }

  /** Looks at a thread of which nothing is known. */
  Answer look(int tid) {
    return look(tid, -1, 0);
  }

  /**
   * Looks at a thread again.
   *
   * @param switchesBefore what {@link #switches} was after an earlier look that was unsure, or −1
   * @param cpuBefore what {@link #cpuNanos(int)} was then
   */
  Answer look(int tid, long switchesBefore, long cpuBefore) {
    long cpu = cpuOf(tid);
    if (!readStatus(tid)) {
      return Answer.UNSURE;
    }
    if (blocked) {
      return Answer.BLOCKS;
    }
    if (switches == 0 || switches == switchesBefore && cpu - cpuBefore >= RAN_NANOS) {
      return Answer.TAKES;
    }
    long counted = switches;
    cpu = cpuOf(tid);
    int call = readCall(tid);
    callsHidden |= call == UNREADABLE;
    if (call == calls.sigtimedwait && isIn(word(arguments[0]))) {
      return Answer.WAITS;
    }
    boolean usual = call != RUNNING && call != UNREADABLE && !hasMaskOfItsOwn(call);
    boolean ran = !usual && runs(tid, cpu);
    if (!readStatus(tid)) {
      return Answer.UNSURE;
    }
    if (blocked) {
      return Answer.BLOCKS;
    }
    return (usual || ran) && switches == counted ? Answer.TAKES : Answer.UNSURE;
  }

  /** Whether a thread has run since, or does so now. */
  private boolean runs(int tid, long cpuBefore) {
    for (int i = 0; i < MOST_CLOCKS; i++) {
      if (cpuOf(tid) - cpuBefore >= RAN_NANOS) {
        return true;
      }
    }
    return false;
  }

  /** Whether the thread looked at last was running, or ready to run. */
  boolean isRunnable() {
    return runnable;
  }

  /** How often the thread looked at last had gone to sleep. */
  long switches() {
    return switches;
  }

  /** The CPU time that a thread has used by now, in ns; −1 if it has ended. */
  long cpuNanos(int tid) {
    return cpuOf(tid);
  }

  /** Whether the kernel has hidden what call a thread was in. */
  boolean areCallsHidden() {
    return callsHidden;
  }

  private boolean hasMaskOfItsOwn(int call) {
    return call == calls.sigsuspend
        || call == calls.ppoll && arguments[3] != 0
        || call == calls.pselect && arguments[5] != 0 && word(arguments[5]) != 0
        || (call == calls.epollPwait || call == calls.epollPwait2) && arguments[4] != 0;
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

  private long cpuOf(int tid) {
    if (Libc.clock_gettime(TimerThreads.cpuClock(tid), time.address()) < 0) {
      return -1;
    }
    return time.bytes().getLong(0) * 1_000_000_000L + time.bytes().getLong(Long.BYTES);
  }

  private boolean read(String path) {
    int fd = Libc.open(path, Libc.O_RDONLY | Libc.O_CLOEXEC, 0);
    if (fd < 0) {
      return false;
    }
    length = (int) Libc.read(fd, buffer.address(), BUFFER_BYTES);
    Libc.close(fd);
    at = 0;
    return length > 0;
  }

  /** {@code State:\tS (sleeping)}, {@code SigBlk:\t00..00}, {@code voluntary_ctxt_switches:\t1}. */
  private boolean readStatus(int tid) {
    if (!read("/proc/self/task/" + tid + "/status")) {
      return false;
    }
    ByteBuffer bytes = buffer.bytes();
    if (!skipTo(STATE)) {
      return false;
    }
    runnable = at < length && bytes.get(at) == 'R';
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
    if (!read("/proc/self/task/" + tid + "/syscall")) {
      return UNREADABLE;
    }
    byte first = buffer.bytes().get(0);
    if (Character.digit(first, 10) < 0) {
      return first == '-' ? NO_CALL : RUNNING;
    }
    int call = (int) number(10);
    for (int i = 0; i < MOST_ARGUMENTS; i++) {
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
  }
}
