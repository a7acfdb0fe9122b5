package stackweave.jfr.export.stall;

import stackweave.jfr.chunk.EventConstants.EventThread;

/**
 * A time in which the garbage collector waited for JNI critical sections. Times are ns since 1970.
 *
 * @param thread the thread that left its critical section last
 * @param method the native method in the section: by the last sample, or else by JFR's stack of its
 *     end; empty if unknown
 * @param waiting how many threads waited for the collector
 */
public record CriticalSection(
    long start, long end, EventThread thread, String method, long waiting) {
  /** How long the collector waited, in ns. */
  public long nanos() {
    return end - start;
  }

  CriticalSection with(long otherEnd, String otherMethod) {
    return new CriticalSection(start, otherEnd, thread, otherMethod, waiting);
  }
}
