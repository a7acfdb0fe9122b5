package stackweave.lab.overhead;

import java.util.Locale;

/**
 * The counts of one window.
 *
 * @param number from 0, in the order of time
 * @param beginNanos since the epoch
 * @param endNanos since the epoch
 * @param operations done by all workers
 * @param operationNanos CPU time that the workers used for them
 * @param workerNanos CPU time of the workers in the window
 * @param processNanos CPU time of the process in the window, ended threads included
 * @param drainNanos CPU time of the agent's own thread in the window
 * @param file recording of the window; empty for none
 */
record Window(
    int number,
    WindowKind kind,
    long beginNanos,
    long endNanos,
    long operations,
    long operationNanos,
    long workerNanos,
    long processNanos,
    long drainNanos,
    String file) {

  static final String COLUMNS =
      "number,kind,beginNanos,endNanos,operations,operationNanos,workerNanos,processNanos,"
          + "drainNanos,file";

  /** CPU time of the workers for an operation, in nanoseconds. */
  double workerCost() {
    return (double) operationNanos / operations;
  }

  /** The same with what the other threads of the process used meanwhile. */
  double processCost() {
    return workerCost() * processNanos / workerNanos;
  }

  double seconds() {
    return (endNanos - beginNanos) / 1e9;
  }

  String line() {
    return String.format(
        Locale.ROOT,
        "%d,%s,%d,%d,%d,%d,%d,%d,%d,%s",
        number,
        kind.label(),
        beginNanos,
        endNanos,
        operations,
        operationNanos,
        workerNanos,
        processNanos,
        drainNanos,
        file);
  }

  static Window of(String line) {
    String[] f = line.split(",", -1);
    return new Window(
        Integer.parseInt(f[0]),
        WindowKind.of(f[1]),
        Long.parseLong(f[2]),
        Long.parseLong(f[3]),
        Long.parseLong(f[4]),
        Long.parseLong(f[5]),
        Long.parseLong(f[6]),
        Long.parseLong(f[7]),
        Long.parseLong(f[8]),
        f[9]);
  }
}
