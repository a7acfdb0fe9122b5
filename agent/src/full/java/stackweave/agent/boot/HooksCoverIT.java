package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.DoubleSummaryStatistics;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.ByChance;

/** What share of the CPU time of short threads samples cover. */
@Isolated("measures")
@ByChance
class HooksCoverIT extends HookedJvm {
  /**
   * The share covered is one of CPU times, and a matter of chance: 400 threads meet 500 ticks, so
   * its standard deviation is 0.03. Where other processes take more than a tenth of a core, threads
   * escape: the drain thread waits for a CPU, and the others' wake-ups end the threads' turns
   * before a tick sees them. In the first recording some end before the agent, still cold, looks at
   * them. Where ticks are not delivered, there is no sample of most threads. So of the later ones
   * those that were not disturbed, and had enough samples, have to have 0.6 on the average (0.96
   * measured); all of them some.
   */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#all")
  void shortThreadsAreCovered(Jvm jvm) throws Exception {
    DoubleSummaryStatistics undisturbed = recordShortThreads(jvm, 2);
    assertTrue(
        undisturbed.getCount() == 0 || undisturbed.getAverage() >= 0.6, undisturbed::toString);
  }
}
