package stackweave.agent.engine;

import java.nio.ByteBuffer;
import stackweave.agent.linux.Libc;
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
 * than usual; /proc/self/task/TID/syscall tells those. Costs some 25 µs a thread. Not thread-safe.
 */
final class SignalMasks implements AutoCloseable {
  private static final int BUFFER_BYTES = 8192;
  private static final byte[] BLOCKED = {'S', 'i', 'g', 'B', 'l', 'k', ':'};
  private static final int NO_CALL = -1;
  private static final int MOST_ARGUMENTS = 6;

  private final int signal;
  private final Calls calls;
  private final SelfMemory memory = new SelfMemory();
  private final NativeBuffer buffer = NativeBuffer.allocate(BUFFER_BYTES);
  private final long[] arguments = new long[MOST_ARGUMENTS];
  private int at;
  private int length;

  /** Numbers of system calls that change the mask as long as they last. */
  private record Calls(
      int sigtimedwait, int sigsuspend, int ppoll, int pselect, int epollPwait, int epollPwait2) {}

  SignalMasks(Architecture architecture, int signal) {
    this.signal = signal;
    this.calls =
        switch (architecture) {
          case X86_64 -> new Calls(128, 130, 271, 270, 281, 441);
          case AARCH64, S390X -> new Calls(137, 133, 73, 72, 22, 441);
        };
  }

  int signal() {
    return signal;
  }

  /**
   * Whether a thread has the signal blocked, or waits for it by sigwait and the like.
   *
   * @param ifUnsure the answer for a thread that blocks in a call with a mask of its own, whose
   *     usual mask nobody tells
   */
  boolean blocks(int tid, boolean ifUnsure) {
    if (read("/proc/self/task/" + tid + "/status") && isIn(blockedMask())) {
      return true;
    }
    if (!read("/proc/self/task/" + tid + "/syscall")) {
      return false;
    }
    int call = call();
    if (call == NO_CALL) {
      return false;
    }
    if (call == calls.sigtimedwait) {
      return isIn(word(arguments[0]));
    }
    boolean masked =
        call == calls.sigsuspend
            || call == calls.ppoll && arguments[3] != 0
            || call == calls.pselect && arguments[5] != 0 && word(arguments[5]) != 0
            || (call == calls.epollPwait || call == calls.epollPwait2) && arguments[4] != 0;
    return masked && ifUnsure;
  }

  private boolean isIn(long mask) {
    return (mask >>> signal - 1 & 1) != 0;
  }

  private long word(long address) {
    try {
      return memory.readLong(address);
    } catch (UnreadableMemoryException e) {
      return 0;
    }
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

  /** {@code SigBlk:\t0000000000000000}. */
  private long blockedMask() {
    ByteBuffer bytes = buffer.bytes();
    int matched = 0;
    while (at < length && matched < BLOCKED.length) {
      byte b = bytes.get(at++);
      matched = b == BLOCKED[matched] ? matched + 1 : b == BLOCKED[0] ? 1 : 0;
    }
    while (at < length && bytes.get(at) == '\t') {
      at++;
    }
    return hexadecimal();
  }

  /** {@code 128 0x7f.. 0x..}, or {@code running}, or {@code -1} and more outside of any call. */
  private int call() {
    if (Character.digit(buffer.bytes().get(0), 10) < 0) {
      return NO_CALL;
    }
    int number = 0;
    for (; at < length && Character.digit(buffer.bytes().get(at), 10) >= 0; at++) {
      number = 10 * number + Character.digit(buffer.bytes().get(at), 10);
    }
    for (int i = 0; i < MOST_ARGUMENTS; i++) {
      at += " 0x".length();
      arguments[i] = hexadecimal();
    }
    return number;
  }

  private long hexadecimal() {
    long value = 0;
    int digit;
    while (at < length && (digit = Character.digit(buffer.bytes().get(at), 16)) >= 0) {
      value = value << 4 | digit;
      at++;
    }
    return value;
  }

  @Override
  public void close() {
    memory.close();
    buffer.close();
  }
}
