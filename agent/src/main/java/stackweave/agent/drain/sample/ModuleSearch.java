package stackweave.agent.drain.sample;

import java.io.IOException;
import stackweave.maps.modules.ModuleIndex;

/**
 * Finds newly mapped libraries for engines that don't report mappings, and for all engines where
 * other runtimes put code, when a sample's pc is in no known module. Each look reads
 * /proc/self/maps; each one that finds nothing doubles the wait until the next. Used by {@link
 * SamplePipeline}; for the drain thread only.
 */
final class ModuleSearch {
  private static final long MIN_NANOS = 20_000_000L;
  private static final long MAX_NANOS = 2_000_000_000L;

  private final ModuleIndex modules;
  private final boolean reported;
  private long waitNanos = MIN_NANOS;
  private long lookedAt = System.nanoTime() - MIN_NANOS;
  private long refreshedAt = System.nanoTime();

  /**
   * @param reported whether the engine reports mappings of files, so that only code of no file is
   *     looked for
   */
  ModuleSearch(ModuleIndex modules, boolean reported) {
    this.modules = modules;
    this.reported = reported;
  }

  /**
   * Reads the mappings if it is time to.
   *
   * @param sampleNanos the time of the sample with the unknown pc
   * @return whether the known modules, or what is executable beside them, have changed
   */
  boolean look(long sampleNanos) {
    long now = System.nanoTime();
    if (now - lookedAt < waitNanos) {
      return false;
    }
    lookedAt = now;
    int anonymous = modules.anonymousVersion();
    boolean changed = refresh(now, sampleNanos);
    waitNanos = changed ? MIN_NANOS : Math.min(2 * waitNanos, MAX_NANOS);
    // Other runtimes may change what is theirs all the time.
    return changed || modules.anonymousVersion() != anonymous;
  }

  /** Reads the mappings in any case; new ones may have existed since the last reading. */
  void refresh() {
    refresh(System.nanoTime(), refreshedAt);
  }

  private boolean refresh(long now, long foundSince) {
    try {
      boolean changed = false;
      if (reported) {
        modules.refresh(now);
      } else {
        changed = modules.refresh(now, foundSince);
      }
      refreshedAt = now;
      return changed;
    } catch (IOException e) {
      return false; // not readable at present: the next look tries again
    }
  }
}
