package stackweave.agent.drain.limit;

/**
 * How long sampling that ended for the heap's sake stays away, though there is room again: to begin
 * costs some 0.3 s of CPU time, and a heap that is full now and then would have it begin each time.
 * At first {@link #FIRST_NANOS}, each further time twice as long, up to {@link #MAX_NANOS}, until
 * it has run for {@link #STEADY_NANOS}. For the drain thread only.
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

  /** Sampling runs; again has no effect, as when one engine takes over from another. */
  public void begun(long now) {
    if (!running) {
      running = true;
      begunAt = now;
    }
  }

  /** It ended because the heap was full. */
  public void ended(long now) {
    if (running && now - begunAt > STEADY_NANOS) {
      nextNanos = FIRST_NANOS;
    }
    running = false;
    endedAt = now;
    pauseNanos = nextNanos;
    nextNanos = Math.min(2 * nextNanos, MAX_NANOS);
  }

  /** Whether it may begin again. */
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
