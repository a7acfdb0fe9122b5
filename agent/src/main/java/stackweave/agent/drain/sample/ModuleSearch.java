package stackweave.agent.drain.sample;

import java.io.IOException;
import stackweave.maps.modules.ModuleIndex;

/**
 * Looks for a library that a sample lies in and that is not known, for engines that don't report
 * mappings. What is found costs one reading of /proc/self/maps; a pc that stays unknown makes the
 * next look wait longer. For the drain thread only.
 */
final class ModuleSearch {
  private static final long MIN_NANOS = 20_000_000L;
  private static final long MAX_NANOS = 2_000_000_000L;

  private final ModuleIndex modules;
  private long waitNanos = MIN_NANOS;
  private long lookedAt = System.nanoTime() - MIN_NANOS;
  private long refreshedAt = System.nanoTime();

  ModuleSearch(ModuleIndex modules) {
    this.modules = modules;
  }

  /**
   * Looks, if it is time to.
   *
   * @param sampleNanos the time of the sample with the unknown pc
   * @return whether other modules are known now
   */
  boolean look(long sampleNanos) {
    long now = System.nanoTime();
    if (now - lookedAt < waitNanos) {
      return false;
    }
    lookedAt = now;
    boolean changed = refresh(now, sampleNanos);
    waitNanos = changed ? MIN_NANOS : Math.min(2 * waitNanos, MAX_NANOS);
    return changed;
  }

  /** Looks in any case: what is new may have been there since the last time. */
  void refresh() {
    refresh(System.nanoTime(), refreshedAt);
  }

  private boolean refresh(long now, long foundSince) {
    try {
      boolean changed = modules.refresh(now, foundSince);
      refreshedAt = now;
      return changed;
    } catch (IOException e) {
      return false; // /proc is as it was: the next time tries again
    }
  }
}
