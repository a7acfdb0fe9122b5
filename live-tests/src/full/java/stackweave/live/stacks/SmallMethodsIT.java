package stackweave.live.stacks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jvms;
import stackweave.live.support.Stacks;
import stackweave.live.support.Stacks.Frame;
import stackweave.live.support.Stacks.Sample;
import stackweave.testing.ByChance;
import stackweave.testing.Enough;
import stackweave.testing.Exact;
import stackweave.testing.Jdk;
import stackweave.testing.Promise;

/** The caller of a compiled method is right at each of its instructions. */
class SmallMethodsIT {
  private static final String APP = SmallMethodsApp.class.getName();
  private static final List<String> SMALL = List.of("choose", "rotate", "compare");

  /** A run has twice as many. */
  private static final int ENOUGH = 500;

  private static final double MAX_IN_HANDLER = 0.002;

  static Stream<Arguments> runs() {
    return Stream.concat(
        Jdk.onOldest().map(jdk -> Arguments.of(jdk, "-XX:+TieredCompilation")),
        Jdk.onNewest().map(jdk -> Arguments.of(jdk, "-XX:TieredStopAtLevel=1")));
  }

  @Exact
  @ParameterizedTest
  @MethodSource("runs")
  void smallMethodsHaveTheirTrueCaller(Jdk jdk, String flag) {
    List<Sample> small = Enough.of(ENOUGH, () -> inSmallMethods(jdk, flag));
    Map<String, Integer> callers = new TreeMap<>();
    for (Sample sample : small) {
      List<Frame> frames = sample.frames();
      String caller = frames.get(frames.size() - 2).qualifiedName();
      callers.merge(caller, 1, Integer::sum);
    }
    System.out.printf("%s %s, callers of small methods: %s%n", jdk, flag, callers);
    assertTrue(small.size() >= ENOUGH, callers.toString());
    assertEquals(Set.of(APP + "." + SmallMethodsApp.CALLER), callers.keySet());
  }

  private static List<Sample> inSmallMethods(Jdk jdk, String flag) {
    return Stacks.of(
            Jvms.hotWithoutLibraries(jdk)
                .agent("interval=500us", "drain=100")
                .recording()
                .options(
                    flag,
                    "-XX:+UseSerialGC",
                    "-XX:CompileCommand=quiet",
                    "-XX:CompileCommand=dontinline," + APP + "::*")
                .run(APP, "1")
                .successfully()
                .recording())
        .of(sample -> sample.frames().size() > 1 && isSmall(sample.innermost()))
        .toList();
  }

  /** JFR's own sampler stops threads by a signal, which is often due together with a timer's. */
  @ByChance
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void noSampleIsOfAHandlerThatHasNotBegun(Jdk jdk) {
    Stacks stacks =
        Stacks.of(
            Jvms.hotWithoutLibraries(jdk)
                .agent("engine=timer", "interval=1ms", "drain=100")
                .recording("settings=profile")
                .run(APP, "1")
                .successfully()
                .recording());
    long all = stacks.samples().size();
    long inHandler =
        stacks
            .of(
                sample ->
                    !sample.frames().isEmpty()
                        && sample.innermost().name().equals("SR_handler")
                        && sample.innermost().offset() == 0)
            .count();
    System.out.printf("%s, timers beside JFR's sampler: %d of %d%n", jdk, inHandler, all);
    assertTrue(all > 30, () -> all + " samples");
    Promise.atMost("in a handler that has not begun", MAX_IN_HANDLER, inHandler, all);
  }

  private static boolean isSmall(Frame frame) {
    return frame.className().equals(APP)
        && SMALL.contains(frame.name())
        && !frame.kind().equals("interpreted");
  }
}
