package stackweave.agent.jdk;

/**
 * Takes what leaves a thread of the agent, so that the application's default handler, which may end
 * the JVM, is not asked. Thread-safe.
 */
public final class Silence implements Thread.UncaughtExceptionHandler {
  public static final Silence INSTANCE = new Silence();

  private Silence() {}

  @Override
  public void uncaughtException(Thread thread, Throwable e) {
    // What could be said was said before.
  }
}
