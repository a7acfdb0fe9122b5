package stackweave.linux;

/**
 * Makes the agent's threads: daemons of the system's thread group, without a context class loader,
 * and with an exception handler of their own, so that the application's default handler, which may
 * end the JVM, is not called. Stateless.
 */
public final class DaemonThread {
  private DaemonThread() {}

  /**
   * A thread that is not started yet.
   *
   * @throws OutOfMemoryError by its start, where the process may have no more threads
   */
  public static Thread of(String name, Runnable work) {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    while (group != null && group.getParent() != null) {
      group = group.getParent();
    }
    Thread thread = new Thread(group, work, name, 0, false);
    thread.setDaemon(true);
    thread.setContextClassLoader(null);
    thread.setUncaughtExceptionHandler(new Silence());
    return thread;
  }

  /** Ignores exceptions, which were reported before. */
  private static final class Silence implements Thread.UncaughtExceptionHandler {
    @Override
    public void uncaughtException(Thread thread, Throwable e) {
      return;
    }
  }
}
