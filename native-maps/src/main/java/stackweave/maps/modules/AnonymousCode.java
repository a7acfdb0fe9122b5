package stackweave.maps.modules;

import java.util.Arrays;

/**
 * Executable memory of no file, as the mappings had it last: where the JVM and other runtimes put
 * the code that they generate. It changes all the time, so it is no part of a {@link ModuleMap}'s
 * generation; what was executable a moment ago and is not now counts as not executable. For the
 * unwinding thread only.
 */
final class AnonymousCode {
  private long[] starts = {};
  private long[] ends = {};
  private int count;
  private int version;

  /** Takes the ranges of now, ascending, the bounds of each one behind the other. */
  void set(long[] bounds, int ranges) {
    boolean same = ranges == count;
    for (int i = 0; i < ranges && same; i++) {
      same = starts[i] == bounds[2 * i] && ends[i] == bounds[2 * i + 1];
    }
    if (same) {
      return;
    }
    version++;
    starts = new long[ranges];
    ends = new long[ranges];
    for (int i = 0; i < ranges; i++) {
      starts[i] = bounds[2 * i];
      ends[i] = bounds[2 * i + 1];
    }
    count = ranges;
  }

  /** Another number after each change. */
  int version() {
    return version;
  }

  /** Whether code can be at {@code pc}. */
  boolean contains(long pc) {
    int i = Arrays.binarySearch(starts, pc);
    int range = i >= 0 ? i : -i - 2;
    return range >= 0 && pc < ends[range];
  }
}
