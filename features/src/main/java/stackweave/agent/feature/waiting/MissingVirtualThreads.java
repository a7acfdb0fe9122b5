package stackweave.agent.feature.waiting;

import java.util.Locale;
import stackweave.agent.jdk.VirtualThreadCount;

/**
 * Says that virtual threads that wait are missing, and how many there are: without a thread of the
 * OS they have no stack that could be read. Once a thread is met that carries virtual threads. For
 * the drain thread.
 */
final class MissingVirtualThreads {
  /** The shortest time between two counts. */
  private static final long COUNT_NANOS = 10_000_000_000L;

  /** A count may take a thousandth of the time until the next one. */
  private static final long REST = 1_000;

  private static final long NOT_KNOWN = -1;

  private boolean areMet;
  private boolean isCounted;
  private long countedAt;
  private long restNanos;
  private long living = NOT_KNOWN;

  /** Null before the first count, and where the JDK doesn't list them. */
  private VirtualThreadCount threads;

  /** A thread carries virtual threads. */
  void met() {
    areMet = true;
  }

  /** Counts again, if that was long ago. */
  void countIfDue(long now) {
    if (!areMet || isCounted && now - countedAt < restNanos) {
      return;
    }
    try {
      if (!isCounted) {
        threads = new VirtualThreadCount();
      }
      living = threads == null ? NOT_KNOWN : threads.count();
    } catch (ReflectiveOperationException | RuntimeException | Error e) {
      threads = null; // of a heap without room for it, too
      living = NOT_KNOWN;
    }
    isCounted = true;
    countedAt = System.nanoTime();
    restNanos = Math.max(COUNT_NANOS, REST * (countedAt - now));
  }

  /** For the recording's note; empty if no virtual thread was met. */
  String note() {
    if (!areMet) {
      return "";
    }
    String note = "virtual threads that wait without a thread of the OS are not in wall samples";
    if (living == NOT_KNOWN) {
      return note;
    }
    String atLeast = living == VirtualThreadCount.MAX ? "at least " : "";
    return String.format(Locale.ROOT, "%s (%s%,d virtual threads live)", note, atLeast, living);
  }
}
