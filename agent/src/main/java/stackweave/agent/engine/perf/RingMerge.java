package stackweave.agent.engine.perf;

/**
 * Takes the records of all rings in the order of time.
 *
 * <p>The rule: a CPU stamps a record, copies it and moves its head, with preemption off, within
 * microseconds. So once the heads are read, every record stamped more than {@link #SETTLING_NANOS}
 * before that moment is below some head: up to there, the smallest time at any tail is the smallest
 * there is. Later records wait for the next call. A virtual CPU can be paused in between for longer
 * than that; what then comes too late is delivered and counted, not dropped.
 */
final class RingMerge {
  /** How long a record may be on its way from its time stamp into its ring, in ns. */
  static final long SETTLING_NANOS = 1_000_000;

  private static final int RECORD_SAMPLE = 9;

  /** A sample's time, after header and tid; other records have theirs before the last word. */
  private static final int SAMPLE_TIME = 16;

  /** What takes a record. */
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
   * @param offsetNanos what a record's time lacks to be that of System.nanoTime
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

  /** Rings given up to their head because a record made no sense. */
  long malformed() {
    return malformed;
  }

  /**
   * Delivers all records up to {@code until}.
   *
   * @param settled whether no CPU writes any more, so that nothing need be held back
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

  /** Linear: there are few rings, and a record costs microseconds anyway. */
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
