package stackweave.agent.boot;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.CpuTime;
import stackweave.agent.apps.EmptyAgent;

/**
 * Reports the CPU time up to main() with a dormant agent beside that with an empty one, in turns.
 * The budget is 30 ms; a machine that does other things at the time decides nothing, so nothing is
 * asserted of the times.
 */
@Isolated("measures")
class DormantCostIT {

  private static final int RUNS = 11;

  @TempDir private Path directory;

  static Stream<Jvm> jvms() {
    return Jvm.all();
  }

  @ParameterizedTest
  @MethodSource("jvms")
  void report(Jvm jvm) throws Exception {
    Path empty = Jars.agent(directory, EmptyAgent.class);
    long[] without = new long[RUNS];
    long[] with = new long[RUNS];
    for (int i = 0; i < RUNS; i++) {
      without[i] = cpuNanos(jvm, empty);
      with[i] = cpuNanos(jvm, Jars.AGENT);
    }
    Arrays.sort(without);
    Arrays.sort(with);
    System.out.printf(
        "%s: CPU until main(), median of %d: empty agent %.1f ms, dormant %.1f ms%n",
        jvm, RUNS, without[RUNS / 2] / 1e6, with[RUNS / 2] / 1e6);
  }

  private long cpuNanos(Jvm jvm, Path agent) throws Exception {
    List<String> arguments =
        List.of("-javaagent:" + agent, "-cp", Jars.apps().toString(), CpuTime.class.getName());
    return Long.parseLong(jvm.run(directory, arguments).out().strip());
  }
}
