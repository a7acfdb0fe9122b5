package stackweave.agent.engine.perf;

import java.util.OptionalLong;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.NativeBuffer;

/**
 * How far {@link System#nanoTime} is ahead of the clock of perf's records.
 *
 * <p>Both are CLOCK_MONOTONIC, but perf stamps with the machine's, and a process in a time
 * namespace (man time_namespaces) reads its own, which may be off by days. A process never changes
 * its namespace once it has threads, so that it is found out once for each engine: the calling
 * thread gives itself the name that it has, which leaves a record, and reads its clock before and
 * after.
 */
final class PerfClock {
  private static final int PR_SET_NAME = 15;
  private static final int PR_GET_NAME = 16;
  private static final int NAME_BYTES = 16;
  private static final int RECORD_COMM = 3;

  /** Behind the time come the event's id and the end. */
  private static final int TIME_FROM_END = 16;

  private static final int TRIES = 8;

  /** Close enough: what an undisturbed try takes is less. */
  private static final long BRACKET_NANOS = 20_000;

  /** No namespace is off by so little; a read of the clock in an interrupt may be, by less. */
  private static final long SAME_NANOS = 50_000;

  private PerfClock() {}

  /**
   * The nanoseconds to be added to a record's time. Takes whatever the rings hold.
   *
   * @param rings of events of the calling thread that tell of new names, empty but for records of
   *     that thread
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

  /** Takes all records; the time of the last one that tells of a name. */
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
