package stackweave.engine.perf;

/**
 * Takes the records of all rings in order of time. A CPU stamps a record, copies it and moves its
 * head within microseconds, with preemption disabled. So once the heads are read, every record
 * stamped more than {@link #SETTLING_NANOS} before is below some head, and up to that time the
 * smallest time at any tail is the smallest of all. Later records wait for the next call. If a
 * virtual CPU is paused for longer, its records are delivered late and counted. For the drain
 * thread.
 */
final class RingMerge {
  /** Longest time from a record's time stamp until it is in its ring, in ns. */
  static final long SETTLING_NANOS = 1_000_000;

  private static final int RECORD_SAMPLE = 9;

  /** Offset of a sample's time; other records have theirs before their last word. */
  static final int SAMPLE_TIME = 16;

  /** Receives the records. */
  interface Target {
    /** Must {@link PerfRing#take} the record at the ring's tail. */
    void record(PerfRing ring, long timeNanos);
  }

  private final PerfRing[] rings;
  private final long offsetNanos;
  private final long[] times;
  private long latest = Long.MIN_VALUE;
  private long late;
  private long malformed;

  /**
   * @param offsetNanos to be added to a record's time to get that of System.nanoTime
   */
  RingMerge(PerfRing[] rings, long offsetNanos) {
    this.rings = rings;
    this.offsetNanos = offsetNanos;
    this.times = new long[rings.length];
  }

  /** Records that came after a later one had been delivered. */
  long late() {
    return late;
  }

  /** How often a ring was discarded up to its head because of a malformed record. */
  long malformed() {
    return malformed;
  }

  /** Whether no CPU writes a record of this time any more. */
  static boolean isPast(long timeNanos) {
    return timeNanos - (System.nanoTime() - SETTLING_NANOS) < 0;
  }

  /**
   * Delivers all records up to {@code until}.
   *
   * @param settled whether no CPU writes any more, so that nothing is held back
   * @return how many
   */
  int drain(long until, boolean settled, Target target) {
    long horizon = settled ? until : Math.min(until, System.nanoTime() - SETTLING_NANOS);
    for (int i = 0; i < rings.length; i++) {
      rings[i].readHead();
      times[i] = timeAtTail(rings[i]);
    }
    int count = 0;
    for (int next = earliest(); times[next] <= horizon; next = earliest()) {
      if (rings[next].isEmpty()) {
        break;
      }
      if (times[next] < latest) {
        late++;
      } else {
        latest = times[next];
      }
      target.record(rings[next], times[next]);
      times[next] = timeAtTail(rings[next]);
      count++;
    }
    return count;
  }

  /**
   * The ring with the earliest record. A linear search: there are few rings, and a record costs
   * microseconds.
   */
  private int earliest() {
    int best = 0;
    for (int i = 1; i < times.length; i++) {
      if (times[i] < times[best]) {
        best = i;
      }
    }
    return best;
  }

  private long timeAtTail(PerfRing ring) {
    if (!ring.isEmpty() && !ring.isSound()) {
      malformed++;
      ring.takeAll();
    }
    if (ring.isEmpty()) {
      return Long.MAX_VALUE;
    }
    return offsetNanos
        + ring.getLong(ring.type() == RECORD_SAMPLE ? SAMPLE_TIME : ring.size() - 16);
  }
}
