package stackweave.linux;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Whether native functions can be called in this process: JNA's library must be mapped from a file.
 * Thread-safe.
 */
public final class NativeAccess {
  private static final AtomicBoolean BEGUN = new AtomicBoolean();

  private NativeAccess() {}

  /** Not in the outer class, so that to begin waits for nothing. */
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
   * Initialises JNA on a thread of its own, for a caller that has other work to do before it asks.
   * Where no thread can be started, {@link #whyNot} does it. After the first call it does nothing.
   */
  public static void begin() {
    begin(null);
  }

  /**
   * As {@link #begin()}.
   *
   * @param isWelcome asked on the thread that initialises JNA, before it does; null: it is
   */
  public static void begin(BooleanSupplier isWelcome) {
    if (!BEGUN.compareAndSet(false, true)) {
      return;
    }
    try {
      DaemonThread.of("stackweave-native", new Begin(isWelcome)).start();
    } catch (OutOfMemoryError e) {
      return; // no thread is left for the process
    }
  }

  private record Begin(BooleanSupplier isWelcome) implements Runnable {
    @Override
    public void run() {
      if (isWelcome != null && !isWelcome.getAsBoolean()) {
        BEGUN.set(false); // it may be later
        return;
      }
      whyNot();
    }
  }

  private static String whyNotNow() {
    try {
      Libc.errno();
      return null;
    } catch (Throwable e) {
      // Also no memory: what could not be initialised once can't be later.
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
