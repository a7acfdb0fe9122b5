package stackweave.engine.timer.handler;

import java.nio.ByteBuffer;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.RefusalText;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;
import stackweave.linux.Tasks;
import stackweave.linux.task.TaskFiles;

/**
 * The signal of the timer engine: chooses a free real-time signal, installs the handler and
 * restores the old disposition. Not SIGPROF as long as there is another: other profilers use that
 * one and would take these timers for their own. Used by the timer engine on the drain thread.
 */
public final class HandlerSignal implements AutoCloseable {
  /**
   * Chosen from the top: programs that use a fixed real-time signal take one near SIGRTMIN. 64 is
   * left out, since debugging tools use it; those below 36 are the C libraries'.
   */
  private static final int HIGHEST = 63;

  private static final int LOWEST = 36;

  /** Taken by sun.nio.ch.NativeThread of the JDK with the first channel, without checking. */
  private static final int OF_NIO = 62;

  private static final int SIGPROF = 27;
  private static final long SIG_DFL = 0;
  private static final long SIG_IGN = 1;

  /** struct sigaction of libc: handler 0, mask 8 (128 bytes), flags 136, restorer 144. */
  private static final int ACTION_BYTES = 152;

  private static final int ACTION_FLAGS = 136;
  private static final int SA_SIGINFO = 4;
  private static final int SA_ONSTACK = 0x08000000;
  private static final int SA_RESTART = 0x10000000;
  private static final int FLAGS = SA_SIGINFO | SA_RESTART;

  /** Threads whose masks are checked for the choice. */
  private static final int MAX_MASKS = 200;

  private final int number;
  private final HandlerMemory memory;
  private final NativeBuffer old = NativeBuffer.allocate(ACTION_BYTES);
  private final NativeBuffer action = NativeBuffer.allocate(ACTION_BYTES);
  private boolean installed;
  private boolean onSignalStacks = true;

  private HandlerSignal(int number, HandlerMemory memory) {
    this.number = number;
    this.memory = memory;
  }

  /** Chooses a signal and installs the handler. */
  public static HandlerSignal install(SystemCalls calls, HandlerMemory memory)
      throws EngineRefusedException {
    return install(free(calls), memory);
  }

  /**
   * Installs the handler for {@code number}; a handler that was there before still gets its own
   * signals.
   */
  public static HandlerSignal install(int number, HandlerMemory memory)
      throws EngineRefusedException {
    HandlerSignal signal = new HandlerSignal(number, memory);
    if (!signal.install()) {
      signal.close();
      throw RefusalText.TIMER_SIGNAL.of(EngineKind.TIMER, Libc.errno(), number);
    }
    return signal;
  }

  private boolean install() {
    if (Libc.sigaction(number, 0, old.address()) < 0) {
      return false;
    }
    long before = handler(old);
    memory.set(
        HandlerLayout.PROCESS_OLD_HANDLER,
        before == SIG_DFL || before == SIG_IGN || before == memory.code() ? 0 : before);
    ByteBuffer words = action.bytes();
    words.putLong(0, memory.code());
    // The mask stays empty: with SIGSEGV blocked, a fault in a chained handler would kill the
    // process.
    words.putInt(ACTION_FLAGS, FLAGS | SA_ONSTACK);
    installed = Libc.sigaction(number, action.address(), 0) == 0;
    return installed;
  }

  /** The signal's number. */
  public int number() {
    return number;
  }

  /** Whether the handler is still installed; somebody may have replaced it. */
  public boolean isOurs() {
    return installed
        && Libc.sigaction(number, 0, action.address()) == 0
        && handler(action) == memory.code();
  }

  /**
   * Whether the handler runs on the signal stack of a thread that has one, as it does at first:
   * some programs switch threads to stacks that are too small for a signal. Others unmap a signal
   * stack while the kernel still uses it, and a signal that is to go there ends the process.
   */
  public void useSignalStacks(boolean use) {
    if (use == onSignalStacks || !isOurs()) {
      return;
    }
    onSignalStacks = use;
    action.bytes().putInt(ACTION_FLAGS, use ? FLAGS | SA_ONSTACK : FLAGS);
    Libc.sigaction(number, action.address(), 0); // as isOurs has read it, but for the flags
  }

  /**
   * Restores the old disposition; call it after all timers have been deleted. SIG_IGN first makes
   * the kernel discard pending signals, which the default disposition would let kill the process.
   * It lasts for one system call, since a program executed meanwhile would inherit it.
   */
  public void uninstall() {
    if (!installed) {
      return;
    }
    installed = false;
    if (Libc.sigaction(number, 0, action.address()) < 0 || handler(action) != memory.code()) {
      return; // replaced: the new handler may chain to ours, which finds sampling disabled
    }
    action.bytes().putLong(0, SIG_IGN);
    Libc.sigaction(number, action.address(), 0);
    Libc.sigaction(number, old.address(), 0);
  }

  @Override
  public void close() {
    uninstall();
    old.close();
    action.close();
  }

  private static long handler(NativeBuffer action) {
    return action.bytes().getLong(0);
  }

  /**
   * The highest real-time signal with the default disposition that the fewest threads block: a
   * signal that some thread waits for by sigwait or signalfd is blocked in all threads.
   */
  private static int free(SystemCalls calls) throws EngineRefusedException {
    long[] masks = blockedByThreads(calls);
    int best = 0;
    int fewest = Integer.MAX_VALUE;
    try (NativeBuffer action = NativeBuffer.allocate(ACTION_BYTES)) {
      for (int number = HIGHEST; number >= LOWEST; number--) {
        if (number != OF_NIO
            && Libc.sigaction(number, 0, action.address()) == 0
            && handler(action) == SIG_DFL) {
          int blocked = blocked(masks, number);
          if (blocked < fewest) {
            fewest = blocked;
            best = number;
          }
        }
      }
      if ((best == 0 || fewest == masks.length && blocked(masks, SIGPROF) < fewest)
          && Libc.sigaction(SIGPROF, 0, action.address()) == 0
          && handler(action) == SIG_DFL) {
        best = SIGPROF;
      }
    }
    if (best == 0) {
      throw RefusalText.TIMER_NO_SIGNAL.of(EngineKind.TIMER, 0);
    }
    return best;
  }

  private static int blocked(long[] masks, int number) {
    int blocked = 0;
    for (long mask : masks) {
      blocked += (int) (mask >>> (number - 1)) & 1;
    }
    return blocked;
  }

  private static long[] blockedByThreads(SystemCalls calls) {
    int[] tids = Tasks.list(SampledProcess.OWN);
    long[] masks = new long[Math.min(tids.length, MAX_MASKS)];
    try (TaskFiles files = new TaskFiles(calls)) {
      for (int i = 0; i < masks.length; i++) {
        long mask = files.blockedSignals(tids[i]);
        masks[i] = mask == -1 ? 0 : mask;
      }
    }
    return masks;
  }
}
