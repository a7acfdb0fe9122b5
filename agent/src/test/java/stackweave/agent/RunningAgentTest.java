package stackweave.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.agent.feature.Feature;
import stackweave.agent.feature.waiting.WaitingFeature;
import stackweave.agent.feature.weave.WeaveFeature;
import stackweave.agent.option.InvalidOptionException;
import stackweave.agent.option.Options;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.control.SampledFeature;
import stackweave.jfr.control.SamplingDefaults;

/** Each option reaches what it is for. */
class RunningAgentTest {
  private static final Options DEFAULTS = parse("");

  private static Options parse(String text) {
    try {
      return Options.parse(text);
    } catch (InvalidOptionException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** Each option changes what it is for, and nothing beside it. */
  @ParameterizedTest
  @CsvSource({
    "interval=3ms, intervalNanos=3000000",
    "depth=77, depth=77",
    "engine=timer, engine=timer",
    "wall=30ms, features={WAITING=30000000}",
    "blocked=7ms, features={BLOCKED=7000000}",
    "native-memory=on, features={MEMORY=1}"
  })
  void anOptionReachesWhatItIsFor(String option, String changed) throws Exception {
    assertEquals(
        List.of(changed),
        changes(RunningAgent.defaults(DEFAULTS), RunningAgent.defaults(Options.parse(option))));
  }

  @Test
  void samplesAreWovenIfThatIsAskedFor() throws Exception {
    for (String option : List.of("weave=on", "weave=off")) {
      List<Feature> features = new FeatureList(Options.parse(option), null, null, null).get();
      boolean weaves = features.stream().anyMatch(feature -> feature instanceof WeaveFeature);
      assertEquals(option.endsWith("on"), weaves, option);
    }
  }

  @Test
  void theThreadsThatAreLookedAtReachTheFeatures() throws Exception {
    List<Feature> features =
        new FeatureList(Options.parse("wall-threads=web-*,drain=37"), null, null, null).get();
    assertTrue(features.contains(new WaitingFeature(SampledFeature.WAITING, "web-*", 37)));
    assertTrue(features.contains(new WaitingFeature(SampledFeature.BLOCKED, "web-*", 37)));
  }

  @Test
  void anEventInsteadOfCpuTimeReachesRecordings() throws Exception {
    SamplingDefaults defaults =
        RunningAgent.defaults(Options.parse("event=page-faults,interval=100"));
    assertEquals(SampledEvent.parse("page-faults").every("100"), defaults.event());
    assertEquals(SamplingDefaults.STANDARD, RunningAgent.defaults(DEFAULTS));
  }

  /** The components of a record that differ from those of another. */
  private static List<String> changes(Record before, Record after) throws Exception {
    List<String> changes = new ArrayList<>();
    for (RecordComponent component : before.getClass().getRecordComponents()) {
      Object now = component.getAccessor().invoke(after);
      if (!now.equals(component.getAccessor().invoke(before))) {
        changes.add(component.getName() + "=" + now);
      }
    }
    return changes;
  }
}
