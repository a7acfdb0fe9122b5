package stackweave.live.tableless;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jvms;
import stackweave.live.support.Native;
import stackweave.live.support.Stacks;
import stackweave.live.support.Stacks.Frame;
import stackweave.testing.Ended;
import stackweave.testing.Enough;
import stackweave.testing.Exact;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;

/**
 * Code without unwind tables: each stack reaches the thread's first frame by the true callers, with
 * perf and with timers, and none of them is a guess.
 */
@Exact
class TablelessIT extends Tableless {
  /** Those in which the time is spent: each must be met. */
  private static final List<List<String>> LEAVES =
      CHAINS.stream()
          .filter(chain -> chain.size() > 1 && chain.get(chain.size() - 1).endsWith("leaf"))
          .toList();

  static Stream<Arguments> runs() {
    return Stream.concat(
        Jdk.onOldest().map(jdk -> Arguments.of(jdk, "timer")),
        Jdk.onNewest().map(jdk -> Arguments.of(jdk, "perf")));
  }

  @ParameterizedTest
  @MethodSource("runs")
  void allCallersAreTheTrueOnes(Jdk jdk, String engine) {
    Map<List<String>, Integer> met = new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
    Enough.until(() -> met.keySet().containsAll(LEAVES), () -> addChains(jdk, engine, met));
    System.out.println(engine + " on " + jdk + ": " + met);
    assertTrue(met.keySet().containsAll(LEAVES), met::toString);
  }

  /** Adds how many samples are of which chain; all must be of true ones. */
  private void addChains(Jdk jdk, String engine, Map<List<String>, Integer> met) {
    ForkedJvm jvm = Jvms.on(jdk);
    if (engine.equals("timer")) {
      jvm = jvm.under(Native.program("refuse_perf").toString());
    }
    Ended ended =
        jvm.agent("interval=1ms", "drain=100")
            .recording(Jvms.WITHOUT_JFR_SAMPLES)
            .run(
                "stackweave.live.tableless.TablelessApp",
                library.toString(),
                synchronous.toString(),
                engine.equals("timer") ? "2" : "1") // the kernel's tick limits its timers
            .successfully();
    List<Stacks.Sample> others = new ArrayList<>();
    for (Stacks.Sample sample : Stacks.of(ended.recording()).samples()) {
      List<String> chain = chain(sample.frames());
      if (!chain.isEmpty()) {
        met.merge(chain, 1, Integer::sum);
        boolean guessed = sample.frames().stream().anyMatch(Frame::isGuess);
        if (!CHAINS.contains(chain) || !isComplete(sample) || guessed) {
          others.add(sample);
        }
      }
    }
    assertEquals(List.of(), others);
  }
}
