package stackweave.linux;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Whether native functions can be called in this process: JNA's library must be mapped from a file.
 * Thread-safe.
 */
public final class NativeAccess {
  private static final AtomicBoolean BEGUN = new AtomicBoolean();

  private NativeAccess() {}

  /** A class of its own, so that {@link #begin} waits for nothing. */
  private static final class Answer {
    static final String WHY_NOT = whyNotNow();
  }

  /**
   * Why JNA can't be used, for users; null if it can. The first call initialises JNA, which takes
   * 40 ms of CPU time; the answer holds for the life of the JVM.
   */
  public static String whyNot() {
    return Answer.WHY_NOT;
  }

  /**
   * Initialises JNA on another thread, while the caller does other work. If no thread can be
   * started, {@link #whyNot} initialises it. Later calls do nothing.
   */
  public static void begin() {
    if (!BEGUN.compareAndSet(false, true)) {
      return;
    }
    try {
      DaemonThread.of("stackweave-native", new Begin()).start();
    } catch (OutOfMemoryError e) {
      return; // no thread is left for the process
    }
  }

  private static final class Begin implements Runnable {
    @Override
    public void run() {
      whyNot();
    }
  }

  private static String whyNotNow() {
    try {
      Libc.errno();
      return null;
    } catch (Throwable e) {
      // Also without memory: an initialisation that failed once can't be repeated.
      Throwable first = e;
      while (first.getCause() != null) {
        first = first.getCause();
      }
      return first instanceof LinkageError && first.getMessage() != null
          ? first.getMessage()
          : first.toString();
    }
  }
}
