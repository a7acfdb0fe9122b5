package stackweave.live.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jvms;
import stackweave.live.support.Stacks;
import stackweave.live.support.Stacks.Mark;
import stackweave.live.support.Stacks.Sample;
import stackweave.testing.ByChance;
import stackweave.testing.Jdk;

/** The recording's settings say how often, and every sample says when. */
@ByChance
class IntervalIT {

  /** How far the clocks of JFR and of perf may be apart. */
  private static final Duration TOLERANCE = Duration.ofMillis(1);

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void intervalAndTimesAreTrue(Jdk jdk) {
    Stacks usual = run(jdk);
    Stacks dense = run(jdk, "+stackweave.NativeSample#interval=1ms");
    long few = ofMain(usual).size();
    long many = ofMain(dense).size();
    double usualMillis = millisOfEach(usual);
    double denseMillis = millisOfEach(dense);
    System.out.printf(
        "%s: %d samples at the usual 10 ms, of %.2f ms each, %d at 1 ms, of %.2f ms%n",
        jdk, few, usualMillis, many, denseMillis);
    assertTrue(few >= 5, () -> "samples at 10 ms: " + few);
    assertTrue(many >= 5, () -> "samples at 1 ms: " + many);
    // None stands for less than was asked for, and where more are asked for each stands for less.
    assertTrue(usualMillis > 9, () -> "each stands for ms: " + usualMillis);
    assertTrue(denseMillis > 0.9, () -> "each stands for ms: " + denseMillis);
    double unthinned = denseMillis * dense.status().written() / dense.status().taken();
    assertTrue(unthinned < usualMillis / 2, () -> denseMillis + " to " + usualMillis + " ms");
    // Where the machine delivers nearly all that it is asked for: 0.8 s of CPU time.
    assertTrue(
        few < 60 || many < 600 || many > 7 * few && many < 13 * few,
        () -> many + " samples to " + few);
    timesLieInTheirPhase(usual);
    timesLieInTheirPhase(dense);
  }

  private static double millisOfEach(Stacks stacks) {
    return ofMain(stacks).stream().mapToLong(Sample::weight).average().orElse(0) / 1e6;
  }

  private static Stacks run(Jdk jdk, String... settings) {
    return Stacks.of(
        Jvms.on(jdk)
            .agent("drain=100")
            .recording(settings)
            .run("stackweave.live.threads.PhasesApp", "200")
            .successfully()
            .recording());
  }

  private static List<Sample> ofMain(Stacks stacks) {
    return stacks
        .of(sample -> !sample.frames().isEmpty())
        .filter(sample -> sample.innermost().module().startsWith("liblab-"))
        .toList();
  }

  private static void timesLieInTheirPhase(Stacks stacks) {
    Map<String, String> phaseOf = Map.of("lab_chain_leaf", "Chains", "lab_alloca_leaf", "Allocas");
    List<Sample> outside =
        ofMain(stacks).stream()
            .filter(sample -> phaseOf.containsKey(sample.innermost().name()))
            .filter(
                sample ->
                    stacks.marks().stream()
                        .filter(mark -> mark.text().equals(phaseOf.get(sample.innermost().name())))
                        .noneMatch(mark -> isIn(sample, mark)))
            .toList();
    assertEquals(4, stacks.marks().size());
    assertEquals(List.of(), outside, () -> outside.size() + " outside of " + stacks.marks());
  }

  private static boolean isIn(Sample sample, Mark mark) {
    return !sample.time().isBefore(mark.begin().minus(TOLERANCE))
        && !sample.time().isAfter(mark.end().plus(TOLERANCE));
  }
}
