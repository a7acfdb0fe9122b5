package stackweave.verify.threads;

import stackweave.verify.Built;

/**
 * Perf events that sample nothing, opened on the calling thread and inherited by those that it
 * starts. {@code src/main/c/measure.c}.
 */
final class IdleEvents {

  static {
    System.load(Built.library("measure").toString());
  }

  private IdleEvents() {}

  /** Opens the event of a CPU by its number, which may be beyond those that are there. */
  private static native int openOne(int number);

  private static native boolean readOne(int fd);

  /**
   * Opens as many as that.
   *
   * @return their descriptors
   */
  static int[] open(int count) {
    int[] events = new int[count];
    for (int i = 0; i < count; i++) {
      events[i] = openOne(i);
      if (events[i] < 0) {
        throw new IllegalStateException("perf_event_open: errno " + -events[i]);
      }
    }
    return events;
  }

  /** Reads the counts of all. */
  static void readAll(int[] events) {
    for (int fd : events) {
      if (!readOne(fd)) {
        throw new IllegalStateException("no count of event " + fd);
      }
    }
  }
}
