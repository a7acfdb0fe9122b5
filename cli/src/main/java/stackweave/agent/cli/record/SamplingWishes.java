package stackweave.agent.cli.record;

import java.util.Map;
import java.util.TreeMap;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.control.SampledFeature;
import stackweave.jfr.control.SamplingSettings;
import stackweave.jfr.event.Blocked;
import stackweave.jfr.event.NativeAllocation;
import stackweave.jfr.event.NativeMemory;
import stackweave.jfr.event.NativeSample;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.read.choice.SampleChoice;

/** The settings with which a recording asks for samples, as JFR's commands take them. Stateless. */
public final class SamplingWishes {
  private SamplingWishes() {}

  /** Asks for samples of CPU time with the agent's defaults. */
  public static Map<String, String> usual() {
    return new TreeMap<>(Map.of(NativeSample.NAME + "#enabled", "true"));
  }

  /** Asks for what a reader of {@code choice} needs: also waiting threads, if it has them. */
  public static Map<String, String> ofChoice(SampleChoice choice) {
    Map<String, String> wishes = usual();
    if (choice.takesEvent(SampledEvent.NATIVE_MEMORY)) {
      wishes.put(NativeMemory.NAME + "#enabled", "true");
    } else if (choice.takesEvent(SampledEvent.NATIVE_ALLOCATIONS)) {
      wishes.put(NativeAllocation.NAME + "#enabled", "true");
    } else if (choice.isEvent()) {
      wishes.put(NativeSample.NAME + "#event", choice.type());
    }
    if (choice.isWall()) {
      addWall(wishes, Timespans.format(SampledFeature.WAITING.standard()));
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

  /**
   * Adds the JVM's own events that {@code report} needs to show what keeps the JVM waiting: both
   * are rare, and JFR's default thresholds exclude nearly all.
   */
  static void addStalls(Map<String, String> wishes) {
    wishes.put("jdk.SafepointBegin#threshold", "1 ms");
    wishes.put("jdk.GCLocker#threshold", "0 ms"); // JDK 21 writes none with a threshold
  }
}
