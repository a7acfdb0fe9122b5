package stackweave.agent.jdk.compiler;

import java.lang.instrument.Instrumentation;
import stackweave.linux.DaemonThread;

/**
 * Adds the {@link CompilerDirective} once in the life of the JVM, on a thread that lives for some
 * milliseconds. Not on the drain thread, because it loads a library of the JDK, and for that may
 * have to wait for the constructors of a library that the application loads. {@link #begin} is for
 * the drain thread, {@link #note} for any.
 */
public final class CompilerLimit implements Runnable {
  private static final String THREAD = "stackweave-directive";

  /** A constant, because there may be no memory to make another text. */
  private static final String FAILED =
      "C2 compiles the agent's classes, too, for the thread failed that adds a compiler directive";

  private final Instrumentation instrumentation;
  private Thread thread;
  private volatile boolean added;
  private volatile String note = "";

  public CompilerLimit(Instrumentation instrumentation) {
    this.instrumentation = instrumentation;
  }

  /** Starts the thread, if the directive is not there and no thread is about to add it. */
  public void begin() {
    if (added || thread != null && thread.isAlive()) {
      return;
    }
    try {
      thread = DaemonThread.of(THREAD, this);
      thread.start();
    } catch (OutOfMemoryError e) {
      note = FAILED;
    }
  }

  @Override
  public void run() {
    try {
      note = CompilerDirective.add(instrumentation);
      added = note.isEmpty();
    } catch (Throwable e) {
      // The application must not notice a failure of this thread.
      note = FAILED;
    }
  }

  /** Why the compilers are not limited, in one line; empty if they are, or are about to be. */
  public String note() {
    return note;
  }
}
