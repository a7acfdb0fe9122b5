package stackweave.agent;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import stackweave.linux.DaemonThread;

/**
 * Looks for the switch file of a sampled process's user, each second, on a thread of its own: the
 * file system of that process may never answer, and others may wait for the sampling thread.
 * Thread-safe.
 */
final class SwitchWatch {
  /** How long the begin waits for the first look, and the end for the last. */
  private static final long MAX_WAIT_MILLIS = 2_000;

  private static final long PAUSE_MILLIS = 1_000;

  /** Where the file is looked for. */
  interface Place {
    /**
     * The file; null if there is none.
     *
     * @throws IOException if that is not known
     */
    Path look() throws IOException;
  }

  private final Place place;
  private final long pauseMillis;
  private final CountDownLatch looked = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread thread = DaemonThread.of("stackweave-switch", this::run);
  private volatile Path file;

  /** Begins; returns when it is known whether there is the file, or that is not answered soon. */
  SwitchWatch(Place place) {
    this(place, PAUSE_MILLIS);
  }

  SwitchWatch(Place place, long pauseMillis) {
    this.place = place;
    this.pauseMillis = pauseMillis;
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
        look();
        looked.countDown();
      } while (!ended.await(pauseMillis, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      return;
    }
  }

  private void look() {
    try {
      file = place.look();
    } catch (Throwable e) {
      return; // what was known holds, also if there is no thread for the look
    }
  }

  /** The file as it was last known to be; null for none. */
  Path file() {
    return file;
  }

  /**
   * Ends it.
   *
   * @return whether nothing is looked for any more; false if that hangs
   */
  boolean end() {
    ended.countDown();
    try {
      thread.join(MAX_WAIT_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }
}
