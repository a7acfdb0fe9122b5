package stackweave.lab.chaos.work;

import java.nio.file.Path;

/**
 * Until when an antagonist works, and the run's settings. Thread-safe.
 *
 * @param endNanos as of {@link System#nanoTime}
 * @param cycles how many recordings an antagonist makes that makes recordings
 * @param engine the engine that is wanted, as in the settings of a recording; empty without agent
 * @param interval between two samples, as in the settings of a recording
 * @param directory for files
 */
public record Time(long endNanos, int cycles, String engine, String interval, Path directory) {

  /** Whether the antagonist must end. */
  public boolean isOver() {
    return System.nanoTime() - endNanos >= 0;
  }
}
