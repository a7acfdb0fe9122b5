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
 * A thread that has the rights of one user, and no capability, for all of its life: whatever is
 * done in that user's files is done on it, so that it is nothing that the user could not do
 * himself. It does nothing else, and no other thread has its rights.
 */
public final class ActingThread implements AutoCloseable {
  private static final Runnable END = () -> {};

  /** Files and sockets answer in milliseconds; a file system that its user has made may never. */
  private static final long MAX_SECONDS = 30;

  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

  /** Set once something did not end: whatever comes after it would wait behind it. */
  private volatile boolean stuck;

  private ActingThread() {}

  /** Takes on the rights of another user, as only root may. */
  public static ActingThread as(int uid, int gid, int[] groups) throws IOException {
    return start(
        () -> {
          ThreadRights.actAs(uid, gid, groups);
          return null;
        });
  }

  /** With the rights of the caller's user. */
  public static ActingThread asCaller() throws IOException {
    return start(
        () -> {
          ThreadRights.dropCapabilities();
          return null;
        });
  }

  /** With all rights that the caller has: for waiting with a limit only. */
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
      return; // with rights that are not known, nothing is done
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

  /** Does something there, and waits for it, but not for ever. */
  <T> T run(Callable<T> action) throws IOException {
    return run(action, MAX_SECONDS);
  }

  /** The same, of what takes its own time. */
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
