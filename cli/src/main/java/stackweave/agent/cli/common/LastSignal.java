package stackweave.agent.cli.common;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;

/**
 * What a shutdown hook waits by, after Ctrl-C or SIGTERM, for a recording to be completed: a second
 * such signal ends the command at once. The JVM would take no notice of it. Stateless.
 */
public final class LastSignal {
  /** A second signal before that is the same one: timeout(1) sends SIGTERM twice. */
  private static final long FIRST_MILLIS = 1_000;

  /** How long a recording may take to be written and copied. */
  private static final long MAX_MINUTES = 30;

  private static final int[] SIGNALS = {2, 15}; // SIGINT, SIGTERM

  /** The size of libc's struct sigaction; all zero it is SIG_DFL. */
  private static final int ACTION_BYTES = 152;

  private LastSignal() {}

  /** Waits until all is completed, or too long. */
  public static void await(CountDownLatch completed) {
    try {
      if (!completed.await(FIRST_MILLIS, TimeUnit.MILLISECONDS)) {
        endAtNext();
        completed.await(MAX_MINUTES, TimeUnit.MINUTES);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void endAtNext() {
    try (NativeBuffer action = NativeBuffer.allocate(ACTION_BYTES)) {
      for (int signal : SIGNALS) {
        Libc.sigaction(signal, action.address(), 0);
      }
    }
  }
}
