package stackweave.agent.engine.perf;

import java.util.OptionalLong;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.NativeBuffer;

/**
 * Finds the difference between {@link System#nanoTime} and the clock of perf's records. Both are
 * CLOCK_MONOTONIC, but a process in a time namespace (time_namespaces(7)) reads one with another
 * offset, while perf uses the machine's. Measured once per engine, as a process with several
 * threads can't change its namespace: the calling thread sets its name to the present one, which
 * writes a record, and reads its clock before and after. Called by {@link PerfEngine}; stateless.
 */
final class PerfClock {
  private static final int PR_SET_NAME = 15;
  private static final int PR_GET_NAME = 16;
  private static final int NAME_BYTES = 16;
  private static final int RECORD_COMM = 3;

  /** A record's time is so far before its end; the event's id follows. */
  private static final int TIME_FROM_END = 16;

  private static final int TRIES = 8;

  /** Precise enough; an undisturbed try takes less. */
  private static final long BRACKET_NANOS = 20_000;

  /**
   * Differences below this are errors of measurement and taken as 0: no time namespace has such a
   * small offset.
   */
  private static final long SAME_NANOS = 50_000;

  private PerfClock() {}

  /**
   * The nanoseconds to add to a record's time. Consumes all records in the rings.
   *
   * @param rings of events of the calling thread that report new names, with records of that thread
   *     only
   * @return empty if no record came
   */
  static OptionalLong offset(PerfRing[] rings) {
    try (NativeBuffer name = NativeBuffer.allocate(NAME_BYTES)) {
      if (Libc.prctl(PR_GET_NAME, name.address(), 0, 0, 0) < 0) {
        return OptionalLong.empty();
      }
      long shortest = Long.MAX_VALUE;
      long offset = 0;
      for (int i = 0; i < TRIES && shortest > BRACKET_NANOS; i++) {
        newestName(rings);
        long before = System.nanoTime();
        Libc.prctl(PR_SET_NAME, name.address(), 0, 0, 0);
        long after = System.nanoTime();
        OptionalLong time = newestName(rings);
        if (time.isPresent() && after - before < shortest) {
          shortest = after - before;
          offset = before + shortest / 2 - time.getAsLong();
        }
      }
      if (shortest == Long.MAX_VALUE) {
        return OptionalLong.empty();
      }
      return OptionalLong.of(Math.abs(offset) <= shortest / 2 + SAME_NANOS ? 0 : offset);
    }
  }

  /** Consumes all records; returns the time of the last one that reports a name. */
  private static OptionalLong newestName(PerfRing[] rings) {
    OptionalLong time = OptionalLong.empty();
    for (PerfRing ring : rings) {
      ring.readHead();
      while (!ring.isEmpty() && ring.isSound()) {
        if (ring.type() == RECORD_COMM) {
          time = OptionalLong.of(ring.getLong(ring.size() - TIME_FROM_END));
        }
        ring.take();
      }
    }
    return time;
  }
}
