package stackweave.lab;

/**
 * CPU time as the kernel accounts it, user and system, in nanoseconds. The JDK has it only for
 * threads that live, or rounded to ticks. Thread-safe. {@code src/main/c/measure.c}.
 */
public final class CpuTime {

  static {
    System.load(Built.library("measure").toString());
  }

  private CpuTime() {}

  /** What the calling thread has used since it began. */
  public static native long ofThread();

  /** What all threads of the process, those that have ended included, have used. */
  public static native long ofProcess();

  /** What all child processes that were waited for have used. */
  public static native long ofChildren();
}
