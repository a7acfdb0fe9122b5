package stackweave.engine.perf;

/**
 * Sizes of rings and of stack copies. All rings together are bounded, since they are locked memory;
 * with many CPUs both get smaller. Stateless.
 */
final class PerfSizes {
  /** Limit for all rings together. */
  private static final long ALL_RINGS_BYTES = 64L * 1024 * 1024;

  /** A smaller ring would hold too little of a stack to be useful. */
  static final int MIN_RING_BYTES = 64 * 1024;

  /** Ring size of an unprivileged user: the default of perf_event_mlock_kb, per CPU. */
  static final int USER_RING_BYTES = 512 * 1024;

  /** Ring size of a privileged user: 2.5 s of a CPU's samples at 100 Hz, 256 ms at 1 kHz. */
  static final int RING_BYTES = 16 * 1024 * 1024;

  /**
   * Ring size of an event other than CPU time, of which hundreds may come in a millisecond: 1,800
   * samples.
   */
  static final int EVENT_RING_BYTES = 32 * 1024 * 1024;

  /** Bytes of a record besides the copy of the stack: header, ids, call chain, registers. */
  static final int RECORD_OVERHEAD = 2048;

  /** How long the drain thread may be late before samples of a busy CPU are lost, in ns. */
  private static final long PAUSE_NANOS = 20_000_000;

  /** A ring has room for as many samples, unless it is very small. */
  private static final int SAMPLES = 8;

  /** Stacks are not cut below this; few are deeper. */
  static final int MIN_STACK_BYTES = 16 * 1024;

  /** How long a ring may stay undrained at most, and at least, in ms. */
  private static final int MAX_BUSY_MILLIS = 40;

  private static final int MIN_BUSY_MILLIS = 5;

  private PerfSizes() {}

  /** Most bytes of a CPU's ring, a power of two; 0 if there are too many CPUs. */
  static int ringBytes(int cpus, int mostBytes) {
    long share = Long.highestOneBit(ALL_RINGS_BYTES / cpus);
    return share < MIN_RING_BYTES ? 0 : (int) Math.min(mostBytes, share);
  }

  /**
   * Stack bytes per sample for a ring size. A record always takes the space of the full copy, so
   * with a small ring and a high rate deep stacks are cut rather than samples lost.
   *
   * @param intervalNanos time between two samples in a ring
   * @param wanted most bytes
   */
  static int stackBytes(int ring, long intervalNanos, int wanted) {
    long room = Math.min(ring / SAMPLES, (long) ((double) ring * intervalNanos / PAUSE_NANOS));
    long bytes = Math.max(room - RECORD_OVERHEAD, MIN_STACK_BYTES);
    return (int) Math.min(Math.min(wanted, PerfAttr.MAX_STACK_BYTES), bytes) & -8;
  }

  /** A quarter of the time in which a CPU that is always busy fills its ring, within limits. */
  static int busyMillis(int ring, long intervalNanos, int stackBytes) {
    long records = ring / (stackBytes + RECORD_OVERHEAD);
    long full = records * intervalNanos / 4 / 1_000_000;
    return (int) Math.max(MIN_BUSY_MILLIS, Math.min(full, MAX_BUSY_MILLIS));
  }
}
