package stackweave.hotspot;

/**
 * When what is cached of the VM must be compared with the VM again: at its first use in each round,
 * a round being a few milliseconds long. Code and classes that vanish do so rarely; a check costs a
 * microsecond; samples come in batches.
 */
final class CheckRounds {
  /** Length of a round in nanoseconds. */
  private static final long ROUND_NANOS = 20_000_000;

  private int current = 1;
  private long started = System.nanoTime();

  /** The number of this round, from 1 on. */
  int current() {
    return current;
  }

  /** Begins the next round if this one is old. Called once per sample. */
  void tick() {
    long now = System.nanoTime();
    if (now - started > ROUND_NANOS) {
      started = now;
      current++;
    }
  }
}
