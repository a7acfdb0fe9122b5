package stackweave.engine.perf;

import java.nio.file.Files;
import java.nio.file.Path;
import stackweave.engine.Burner;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineFigure;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.EngineSink;
import stackweave.engine.EngineState;
import stackweave.engine.EngineStatistics;
import stackweave.jfr.control.EngineKind;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Main class of a JVM that puts itself into a control group and samples by it until the engine
 * ends, since others have come into the group. The argument is the group's directory.
 */
final class GroupProbe {
  private static final EngineConfig CONFIG =
      new EngineConfig(5_000_000, EngineConfig.MAX_STACK_BYTES, EngineKind.PERF);

  /** Samples before others are let in, and the most drains until the engine ends. */
  private static final int ENOUGH = 100;

  private static final int MAX_DRAINS = 6_000;

  private GroupProbe() {}

  public static void main(String[] arguments) throws Exception {
    String pid = "" + ProcessHandle.current().pid();
    Files.writeString(Path.of(arguments[0], "cgroup.procs"), pid);
    Burner burner = Burner.start("own", Long.MAX_VALUE);
    PerfBudget budget = new PerfBudget(PerfBudget.DEFAULT_BYTES);
    Counting sink = new Counting();
    try (PerfCpuEngine engine = PerfCpuEngine.start(CONFIG, budget, false)) {
      for (int i = 0; i < MAX_DRAINS && sink.samples < ENOUGH; i++) {
        drain(engine, sink);
      }
      EngineStatistics alone = engine.statistics();
      System.out.println(
          "alone "
              + alone.get(EngineFigure.SAMPLES)
              + " "
              + alone.get(EngineFigure.FOREIGN_SAMPLES));
      for (int i = 0; i < MAX_DRAINS && !hasEnded(engine); i++) {
        drain(engine, sink);
      }
      long foreign = engine.statistics().get(EngineFigure.FOREIGN_SAMPLES);
      System.out.println("ended " + hasEnded(engine) + " " + foreign);
    } catch (EngineRefusedException e) {
      System.out.println("none: " + e.getMessage());
      System.exit(0);
    }
    try (PerfCpuEngine engine = PerfCpuEngine.start(CONFIG, budget, false)) {
      System.out.println("again " + engine.description().kind());
    } catch (EngineRefusedException e) {
      System.out.println("refused " + e.getMessage());
    }
    burner.endAfter(0);
    burner.join();
  }

  private static boolean hasEnded(PerfCpuEngine engine) {
    return engine.state() == EngineState.TO_BE_REPLACED;
  }

  private static void drain(PerfCpuEngine engine, EngineSink sink) {
    engine.await(20);
    engine.drain(Long.MAX_VALUE, sink);
  }

  private static final class Counting implements EngineSink {
    private int samples;

    @Override
    public void sample(StackSnapshot snapshot) {
      samples++;
    }
  }
}
