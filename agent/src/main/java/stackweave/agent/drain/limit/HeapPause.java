package stackweave.agent.drain.limit;

/**
 * How long sampling pauses after a full heap ended it, even if there is room again: each start
 * costs about 0.3 s of CPU time. Starts at {@link #FIRST_NANOS} and doubles up to {@link
 * #MAX_NANOS}, until sampling has run for {@link #STEADY_NANOS}. Times are of {@link
 * System#nanoTime}. For the drain thread only.
 */
public final class HeapPause {
  static final long FIRST_NANOS = 5_000_000_000L;
  static final long MAX_NANOS = 320_000_000_000L;
  static final long STEADY_NANOS = 120_000_000_000L;

  private long nextNanos = FIRST_NANOS;
  private long pauseNanos;
  private long endedAt;
  private long begunAt;
  private boolean running;

  /** Sampling runs. Repeated calls have no effect, as when one engine replaces another. */
  public void begun(long now) {
    if (!running) {
      running = true;
      begunAt = now;
    }
  }

  /** Sampling ended because the heap was full. */
  public void ended(long now) {
    if (running && now - begunAt > STEADY_NANOS) {
      nextNanos = FIRST_NANOS;
    }
    running = false;
    endedAt = now;
    pauseNanos = nextNanos;
    nextNanos = Math.min(2 * nextNanos, MAX_NANOS);
  }

  /** Whether sampling may start again. */
  public boolean isOver(long now) {
    return now - endedAt >= pauseNanos || pauseNanos == 0;
  }

  @Override
  public String toString() {
    return "the heap was full, and has room again only now; sampling goes on "
        + pauseNanos / 1_000_000_000L
        + " s after it ended";
  }
}
