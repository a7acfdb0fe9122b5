package stackweave.agent.cli.process;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import stackweave.linux.DaemonThread;
import stackweave.linux.ThreadRights;

/**
 * The credentials of one user without capabilities. Accesses to another user's files run on a
 * thread that assumes these credentials first and ends with the access, so that they can do no more
 * than that user could. Used through {@link UserFiles}. Thread-safe.
 */
public final class UserRights {
  /** Files and sockets answer in milliseconds, but a user-space file system may never. */
  private static final long MAX_SECONDS = 30;

  /** Changes the rights of the thread that it runs on. */
  private interface Change {
    void begin() throws IOException;
  }

  private final Change change;

  /** Actions that timed out: until they end, later ones would time out, too. */
  private final Set<FutureTask<?>> stuck = ConcurrentHashMap.newKeySet();

  private UserRights(Change change) {
    this.change = change;
  }

  /** Another user's credentials; only root may assume them, for others each action fails. */
  public static UserRights of(int uid, int gid, int[] groups) {
    return new UserRights(() -> ThreadRights.actAs(uid, gid, groups));
  }

  /** The caller's credentials, without capabilities. */
  public static UserRights ofCaller() {
    return new UserRights(ThreadRights::dropCapabilities);
  }

  /** All of the caller's rights, for timeouts only. */
  static UserRights unchanged() {
    return new UserRights(() -> {});
  }

  /**
   * Runs the action with these rights and waits for it at most {@link #MAX_SECONDS}.
   *
   * @throws IOException also if it times out
   */
  <T> T run(Callable<T> action) throws IOException {
    return run(action, MAX_SECONDS);
  }

  /** As {@link #run(Callable)}, with another time limit. */
  <T> T run(Callable<T> action, long seconds) throws IOException {
    if (isStuck()) {
      throw noAnswer();
    }
    FutureTask<T> task =
        new FutureTask<>(
            () -> {
              change.begin();
              return action.call();
            });
    DaemonThread.of("stackweave-acting", task).start();
    try {
      return task.get(seconds, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      stuck.add(task);
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

  /** Whether a thread still waits for an action that timed out. */
  boolean isStuck() {
    stuck.removeIf(FutureTask::isDone);
    return !stuck.isEmpty();
  }

  private static IOException noAnswer() {
    return new IOException(
        "a file system or socket of that process does not answer, and the kernel may keep this"
            + " command until it does: end that process");
  }
}
