package stackweave.agent.decode;

import java.io.IOException;
import stackweave.maps.modules.LoaderCounts;
import stackweave.maps.modules.ModuleIndex;

/**
 * Finds newly mapped libraries: when the counters of the dynamic loader have changed, or, if they
 * are not known, when a sample's pc is in no known module. Each look reads /proc/self/maps; each
 * look that finds nothing doubles the wait until the next. Used by {@link SamplePipeline}; for the
 * drain thread only.
 */
final class ModuleSearch {
  private static final long MIN_NANOS = 20_000_000L;
  private static final long MAX_NANOS = 2_000_000_000L;

  /** Pause between two looks at the loader's counters, in multiples of a look's time. */
  private static final int REST = 30;

  private final ModuleIndex modules;

  /** Null where the counters are not known. */
  private final LoaderCounts loader;

  private long waitNanos = MIN_NANOS;
  private long lookedAt = System.nanoTime() - MIN_NANOS;
  private long refreshedAt = System.nanoTime();

  /** The counters before the mappings were read, and until when they have been the same. */
  private long adds = -1;

  private int loaded;
  private long sameUntil = refreshedAt;
  private long restUntil = refreshedAt;

  /**
   * @param loader null if its counters are not known
   */
  ModuleSearch(ModuleIndex modules, LoaderCounts loader) {
    this.modules = modules;
    this.loader = loader;
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
    // Code of other runtimes may change all the time.
    return changed || modules.anonymousVersion() != anonymous;
  }

  /**
   * Reads the mappings if the loader has loaded or unloaded libraries since the last reading. To be
   * called before samples are drained, whose libraries are then known or have been loaded since.
   */
  void lookAtLoader() {
    if (loader == null) {
      return;
    }
    long now = System.nanoTime();
    if (!loader.read() || now - restUntil < 0) {
      return;
    }
    if (loader.adds() == adds && loader.loaded() == loaded) {
      sameUntil = now;
      return;
    }
    refresh(now, refreshedAt);
    long end = System.nanoTime();
    restUntil = end + REST * (end - now);
  }

  /** Whether the loader's counters show when libraries come and go: then few looks are needed. */
  boolean isTold() {
    return loader != null;
  }

  /** Reads the mappings in any case; new ones may have existed since the last reading. */
  void refresh() {
    refresh(System.nanoTime(), refreshedAt);
  }

  private boolean refresh(long now, long foundSince) {
    try {
      boolean changed = false;
      if (loader != null && loader.read()) {
        changed = refreshCounted(now);
      } else {
        changed = modules.refresh(now, foundSince);
      }
      refreshedAt = now;
      return changed;
    } catch (IOException e) {
      return false; // not readable at present: the next look tries again
    }
  }

  /** The loader counts a library after it has mapped it, and before it has run any of its code. */
  private boolean refreshCounted(long now) throws IOException {
    long newAdds = loader.adds();
    int newLoaded = loader.loaded();
    boolean changed =
        modules.refresh(
            now,
            sameUntil,
            (come, gone) ->
                adds >= 0
                    && loader.read()
                    && loader.adds() == newAdds
                    && loader.loaded() == newLoaded
                    && newAdds - adds == come
                    && newLoaded - loaded == come - gone);
    adds = newAdds;
    loaded = newLoaded;
    sameUntil = now;
    return changed;
  }
}
