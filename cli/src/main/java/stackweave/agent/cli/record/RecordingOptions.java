package stackweave.agent.cli.record;

import java.util.Map;
import picocli.CommandLine.Option;
import stackweave.agent.cli.common.UsageException;
import stackweave.jfr.control.SampledFeature;
import stackweave.jfr.control.SamplingSettings;
import stackweave.jfr.read.choice.SampleChoice;

/** The options of sampling, and those for waiting and blocked threads. */
public final class RecordingOptions extends SamplingOptions {
  @Option(
      names = "--wall",
      paramLabel = "TIME",
      description =
          "Samples waiting threads, too: how often each is looked at while it waits, "
              + SamplingSettings.WALL_INTERVALS
              + ". The commands that read show them with --wall.")
  private String wall;

  @Option(
      names = "--blocked",
      paramLabel = "TIME",
      description =
          "An event for each time that a thread is blocked for so long or longer, with its stack: "
              + SamplingSettings.BLOCKED_THRESHOLDS
              + ". The command report lists the longest.")
  private String blocked;

  /**
   * The samples that are shown and exported: those that were asked for beside CPU time, of an event
   * before those of memory, and these before those of waiting threads.
   */
  SampleChoice shown() throws UsageException {
    SampleChoice ofEvents = shownEvents();
    return ofEvents == null ? wall == null ? SampleChoice.CPU : SampleChoice.WALL : ofEvents;
  }

  @Override
  boolean isMoreThanCpu() {
    return super.isMoreThanCpu() || wall != null || blocked != null;
  }

  @Override
  public Map<String, String> eventSettings() throws UsageException {
    Map<String, String> all = super.eventSettings();
    if (wall != null) {
      must(
          SampledFeature.WAITING.parse(wall).isPresent(),
          "--wall",
          "'" + wall + "' is not " + SamplingSettings.WALL_INTERVALS);
      SamplingWishes.addWall(all, wall);
    }
    if (blocked != null) {
      must(
          SampledFeature.BLOCKED.parse(blocked).isPresent(),
          "--blocked",
          "'" + blocked + "' is not " + SamplingSettings.BLOCKED_THRESHOLDS);
      SamplingWishes.addBlocked(all, blocked);
    }
    return all;
  }
}
