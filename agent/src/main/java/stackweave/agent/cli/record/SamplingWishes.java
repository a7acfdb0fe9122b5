package stackweave.agent.cli.record;

import java.util.Map;
import java.util.TreeMap;
import stackweave.jfr.control.SamplingSettings;
import stackweave.jfr.event.Blocked;
import stackweave.jfr.event.NativeSample;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.read.choice.SampleChoice;

/** The settings by which a recording asks for samples, as JFR's commands take them. Stateless. */
public final class SamplingWishes {
  private SamplingWishes() {}

  /** Samples of CPU time as the agent has them; no further settings. */
  public static Map<String, String> usual() {
    return new TreeMap<>(Map.of(NativeSample.NAME + "#enabled", "true"));
  }

  /** What a reader of {@code choice} needs: waiting threads, too, if it has them. */
  public static Map<String, String> ofChoice(SampleChoice choice) {
    Map<String, String> wishes = usual();
    if (choice.isWall()) {
      addWall(wishes, Timespans.format(SamplingSettings.DEFAULT_WALL_NANOS));
    }
    return wishes;
  }

  /**
   * Adds samples of waiting threads.
   *
   * @param interval one of {@link SamplingSettings#WALL_INTERVALS}
   */
  static void addWall(Map<String, String> wishes, String interval) {
    wishes.put(WallSample.NAME + "#enabled", "true");
    wishes.put(WallSample.NAME + "#interval", interval);
  }

  /**
   * Adds events of blocked threads.
   *
   * @param threshold one of {@link SamplingSettings#BLOCKED_THRESHOLDS}
   */
  static void addBlocked(Map<String, String> wishes, String threshold) {
    wishes.put(Blocked.NAME + "#enabled", "true");
    wishes.put(Blocked.NAME + "#threshold", threshold);
  }
}
