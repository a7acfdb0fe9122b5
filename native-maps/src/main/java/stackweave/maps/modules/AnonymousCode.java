package stackweave.maps.modules;

import java.util.Arrays;

/**
 * Executable anonymous memory, as of the last reading of the mappings: where the JVM and other
 * runtimes put the code that they generate. It changes all the time, so it is no part of a {@link
 * ModuleMap}'s generation; what was executable a moment ago and is not now counts as not
 * executable. For the unwinding thread only.
 */
final class AnonymousCode {
  /** Where a range begins, where it ends, where the next one begins, and so on; all different. */
  private long[] bounds = {};

  private int version;

  /** Sets the bounds, ascending; ranges that touch are one. */
  void set(long[] now) {
    if (!Arrays.equals(now, bounds)) {
      bounds = now;
      version++;
    }
  }

  /** Another number after each change. */
  int version() {
    return version;
  }

  /** Whether code can be at {@code pc}. */
  boolean contains(long pc) {
    int at = Arrays.binarySearch(bounds, pc);
    int notAbove = at >= 0 ? at + 1 : -at - 1;
    return notAbove % 2 != 0;
  }
}
