package stackweave.jfr.export.stall;

import stackweave.jfr.chunk.EventConstants.EventThread;

/**
 * A time in which the garbage collector waited for JNI critical sections, and the last thread that
 * left one. Belongs to {@link Stalls}; not thread-safe.
 */
public final class CriticalSection {
  private final long start;
  private long end;
  private final EventThread thread;
  private String method;
  private final long waiting;

  /**
   * Times are ns since 1970.
   *
   * @param method the native method in which the thread left, as JFR has it; empty if unknown
   * @param waiting how many threads waited for the collector
   */
  CriticalSection(long start, long end, EventThread thread, String method, long waiting) {
    this.start = start;
    this.end = end;
    this.thread = thread;
    this.method = method;
    this.waiting = waiting;
  }

  long start() {
    return start;
  }

  long end() {
    return end;
  }

  /** Sets the end where the event has none. */
  void endAt(long nanos) {
    end = nanos;
  }

  /** How long the collector waited, in ns. */
  public long nanos() {
    return end - start;
  }

  /** The thread that left its critical section last. */
  public EventThread thread() {
    return thread;
  }

  /** How many threads waited for the collector. */
  public long waiting() {
    return waiting;
  }

  /** A sample shows the thread meanwhile in a native method. */
  void inside(String nativeMethod) {
    method = nativeMethod;
  }

  /** The native method that was inside: of the last sample, or else where the thread left. */
  public String method() {
    return method;
  }
}
