package stackweave.verify.chaos.work;

import java.nio.file.Path;

/**
 * Until when an antagonist works, and with what. Thread-safe.
 *
 * @param endNanos as of {@link System#nanoTime}
 * @param cycles recordings to be made, for who makes recordings
 * @param engine the engine that is wanted, as in the settings of a recording; empty without agent
 * @param interval between two samples, as in the settings of a recording
 * @param directory for files
 */
public record Time(long endNanos, int cycles, String engine, String interval, Path directory) {

  public boolean isOver() {
    return System.nanoTime() - endNanos >= 0;
  }
}
