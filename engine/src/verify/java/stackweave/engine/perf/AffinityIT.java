package stackweave.engine.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import stackweave.engine.CpuSet;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineFigure;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.EngineState;
import stackweave.engine.OwnJvm;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.process.SampledProcess;
import stackweave.testing.Commands;

/** Events of CPUs are of those where the process's threads may run at present, and of no others. */
class AffinityIT {
  private static final EngineConfig CONFIG =
      new EngineConfig(5_000_000, EngineConfig.MAX_STACK_BYTES, EngineKind.PERF);

  /** Threads' CPUs are read seldom where that takes long. */
  private static final int MAX_LOOKS = 600;

  private static final long LOOK_MILLIS = 100;

  @Test
  void eventsFollowTheCpusThatThreadsMayRunOn() throws Exception {
    int[] cpus = CpuSet.presentOf(SampledProcess.OWN);
    assumeTrue(cpus.length > 1, "there is one CPU alone");
    String all = Arrays.stream(cpus).mapToObj(Integer::toString).collect(Collectors.joining(","));
    String said = Commands.output(OwnJvm.command(AffinityIT.class, "" + cpus[0], all));
    assumeFalse(said.startsWith("none"), said);
    assertEquals(cpus.length + " left 1 missing " + cpus.length, said.strip());
  }

  /** The arguments are CPUs to go to, and those to go back to. */
  public static void main(String[] arguments) throws Exception {
    PerfBudget budget = new PerfBudget(PerfBudget.DEFAULT_BYTES);
    StringBuilder said = new StringBuilder();
    try {
      said.append(outgrown(budget, arguments[0])).append(" left ");
      said.append(outgrown(budget, arguments[1])).append(" missing ");
      try (PerfCpuEngine engine = PerfCpuEngine.start(CONFIG, budget)) {
        said.append(engine.statistics().get(EngineFigure.CPUS));
      }
    } catch (EngineRefusedException e) {
      said.append("none: ").append(e.getMessage());
    }
    System.out.println(said);
  }

  /** Samples until the engine does not fit the CPUs given then; returns how many it had. */
  private static long outgrown(PerfBudget budget, String cpus)
      throws EngineRefusedException, IOException, InterruptedException {
    try (PerfCpuEngine engine = PerfCpuEngine.start(CONFIG, budget)) {
      String pid = "" + ProcessHandle.current().pid();
      boolean isOutgrown = isOutgrown(engine);
      long count = isOutgrown ? -1 : engine.statistics().get(EngineFigure.CPUS);
      Commands.output(List.of("taskset", "-acp", cpus, pid));
      for (int i = 0; i < MAX_LOOKS && !isOutgrown; i++) {
        Thread.sleep(LOOK_MILLIS);
        isOutgrown = isOutgrown(engine);
      }
      return isOutgrown ? count : -1;
    }
  }

  private static boolean isOutgrown(PerfCpuEngine engine) {
    engine.drain(Long.MAX_VALUE, snapshot -> {});
    return engine.state() == EngineState.TO_BE_REPLACED;
  }
}
