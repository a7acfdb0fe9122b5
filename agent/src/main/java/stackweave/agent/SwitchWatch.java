package stackweave.agent;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import stackweave.agent.cli.process.TargetProcess;
import stackweave.linux.DaemonThread;

/**
 * Looks for the switch file of a sampled process's user, each second, on a thread of its own: the
 * file system of that process may never answer, and others may wait for the sampling thread.
 * Thread-safe.
 */
final class SwitchWatch implements Supplier<Path>, AutoCloseable {
  /** How long the begin waits for the first look, and the end for the last. */
  private static final long MAX_WAIT_MILLIS = 2_000;

  private static final long PAUSE_MILLIS = 1_000;

  private final TargetProcess process;
  private final CountDownLatch looked = new CountDownLatch(1);
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread = DaemonThread.of("stackweave-switch", this::run);
  private volatile Path file;

  /** Begins; returns when it is known whether there is the file, or that is not answered. */
  SwitchWatch(TargetProcess process) {
    this.process = process;
    thread.start();
    try {
      looked.await(MAX_WAIT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      do {
        file = process.switchedOffBy();
        looked.countDown();
      } while (!closed.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      return;
    }
  }

  /** The file as it was seen last; null if there was none. */
  @Override
  public Path get() {
    return file;
  }

  /** Ends it; returns when nothing of the process is looked at any more, or that hangs. */
  @Override
  public void close() {
    closed.countDown();
    try {
      thread.join(MAX_WAIT_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
