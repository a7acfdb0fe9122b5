package stackweave.agent.cli.process;

import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import stackweave.agent.linux.ThreadRights;

/**
 * A thread with the credentials of one user and no capabilities, for all of its life. File accesses
 * that depend on another user's files run on it, so that they can do no more than that user could.
 * Used through {@link UserFiles}; no other thread gets these credentials. Thread-safe.
 */
public final class ActingThread implements AutoCloseable {
  private static final Runnable END = () -> {};

  /** Files and sockets answer in milliseconds, but a user-space file system may never. */
  private static final long MAX_SECONDS = 30;

  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

  /** Set when a task timed out: later tasks would wait behind it. */
  private volatile boolean stuck;

  private ActingThread() {}

  /** Starts a thread with another user's credentials; only root may. */
  public static ActingThread as(int uid, int gid, int[] groups) throws IOException {
    return start(
        () -> {
          ThreadRights.actAs(uid, gid, groups);
          return null;
        });
  }

  /** Starts a thread with the caller's credentials, without capabilities. */
  public static ActingThread asCaller() throws IOException {
    return start(
        () -> {
          ThreadRights.dropCapabilities();
          return null;
        });
  }

  /** Starts a thread with all of the caller's rights, for timeouts only. */
  static ActingThread withOwnRights() throws IOException {
    return start(() -> null);
  }

  private static ActingThread start(Callable<Void> begin) throws IOException {
    ActingThread acting = new ActingThread();
    CompletableFuture<Void> begun = new CompletableFuture<>();
    Thread thread = new Thread(() -> acting.work(begin, begun), "stackweave-acting");
    thread.setDaemon(true);
    thread.start();
    acting.await(begun, MAX_SECONDS);
    return acting;
  }

  private void work(Callable<Void> begin, CompletableFuture<Void> begun) {
    try {
      begin.call();
      begun.complete(null);
    } catch (Throwable e) {
      begun.completeExceptionally(e);
      return; // with unknown credentials, nothing may run
    }
    try {
      for (Runnable task = tasks.take(); task != END; task = tasks.take()) {
        task.run();
      }
    } catch (InterruptedException e) {
      // Nobody interrupts it; it ends.
      return;
    }
  }

  /**
   * Runs the action on the thread and waits for it at most {@link #MAX_SECONDS}.
   *
   * @throws IOException also if it times out
   */
  <T> T run(Callable<T> action) throws IOException {
    return run(action, MAX_SECONDS);
  }

  /** As {@link #run(Callable)}, with another time limit in seconds. */
  <T> T run(Callable<T> action, long longestSeconds) throws IOException {
    if (stuck) {
      throw noAnswer();
    }
    FutureTask<T> task = new FutureTask<>(action);
    tasks.add(task);
    return await(task, longestSeconds);
  }

  private static IOException noAnswer() {
    return new IOException(
        "a file system or socket of that process does not answer, and the kernel may keep this"
            + " command until it does: end that process");
  }

  private <T> T await(Future<T> result, long longestSeconds) throws IOException {
    try {
      return result.get(longestSeconds, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      stuck = true;
      throw noAnswer();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException cause) {
        throw cause;
      }
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  @Override
  public void close() {
    tasks.add(END);
  }
}
