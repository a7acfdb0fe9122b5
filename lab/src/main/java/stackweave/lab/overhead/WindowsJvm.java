package stackweave.lab.overhead;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import one.profiler.AsyncProfiler;
import stackweave.lab.AgentStatus;
import stackweave.lab.Built;
import stackweave.lab.CpuTime;
import stackweave.lab.RecordBeside;
import stackweave.lab.overhead.app.Application;
import stackweave.lab.overhead.app.Units;

/**
 * Main class of a JVM that works all the time, and is sampled by one after another. Arguments: the
 * class of the application, its number of threads or 0, samples per CPU second, seconds of a
 * window, a directory for recordings, and the names of those that sample. For each round it prints
 * a line: CPU time of the process for a unit in ns in each one's window, in the arguments' order.
 * It ends when it is killed, and then a command that samples it ends by itself.
 */
public final class WindowsJvm {
  /** In which the application and the agent are compiled. */
  private static final long WARM_UP_MILLIS = 8_000;

  /** After a start: first stacks, and what a start compiles. */
  private static final long SETTLE_MILLIS = 700;

  private final int hz;
  private final Path directory;
  private final Units units = Units.of("1000000s");
  private Recording recording;
  private RecordBeside beside;

  private WindowsJvm(int hz, Path directory) {
    this.hz = hz;
    this.directory = directory;
  }

  public static void main(String[] arguments) throws Exception {
    int hz = Integer.parseInt(arguments[2]);
    WindowsJvm jvm = new WindowsJvm(hz, Path.of(arguments[4]));
    Application application =
        (Application) Class.forName(arguments[0]).getDeclaredConstructor().newInstance();
    WorkJvm.start(application, Integer.parseInt(arguments[1]), jvm.units);
    List<Sampler> samplers =
        Arrays.stream(arguments).skip(5).map(Sampler::of).collect(Collectors.toList());
    try {
      jvm.run(samplers, (long) (1_000 * Double.parseDouble(arguments[3])));
    } catch (Exception e) {
      e.printStackTrace();
      System.exit(1); // the workers would go on
    }
  }

  private void run(List<Sampler> samplers, long millis) throws Exception {
    for (Sampler sampler : samplers) {
      start(sampler);
      Thread.sleep(WARM_UP_MILLIS);
      stop(sampler);
    }
    List<Sampler> turns = new ArrayList<>(samplers);
    while (true) {
      Map<Sampler, Double> nanos = new HashMap<>();
      for (Sampler sampler : turns) {
        start(sampler);
        Thread.sleep(SETTLE_MILLIS);
        long unitsBefore = units.taken();
        long cpuBefore = CpuTime.ofProcess();
        Thread.sleep(millis);
        long cpu = CpuTime.ofProcess() - cpuBefore;
        nanos.put(sampler, (double) cpu / (units.taken() - unitsBefore));
        stop(sampler);
      }
      Collections.rotate(turns, 1);
      System.out.println(
          samplers.stream().map(nanos::get).map(String::valueOf).collect(Collectors.joining(" ")));
    }
  }

  private void start(Sampler sampler) throws Exception {
    Path file = directory.resolve("window.jfr");
    if (!sampler.engine().isEmpty()) {
      recording = new Recording();
      recording
          .enable("stackweave.NativeSample")
          .with("interval", 1_000_000 / hz + " us")
          .with("engine", sampler.engine());
      recording.setDestination(file);
      long before = AgentStatus.samples();
      recording.start();
      AgentStatus.awaitSamples(before, sampler.engine());
    } else if (sampler.isCommand()) {
      beside =
          RecordBeside.start(
              ProcessHandle.current().pid(),
              Path.of(System.getProperty("java.home"), "bin", "java"),
              Built.agentJar(),
              sampler.record(hz, file),
              directory.resolve("record.txt"));
    } else if (!sampler.command(hz, file).isEmpty()) {
      AsyncProfiler.getInstance().execute(sampler.command(hz, file).get(0));
    }
  }

  private void stop(Sampler sampler) throws Exception {
    if (recording != null) {
      recording.close();
      recording = null;
      AgentStatus.awaitDormant();
    } else if (beside != null) {
      beside.interrupt();
      beside = null;
    } else if (!sampler.command(hz, directory).isEmpty()) {
      AsyncProfiler.getInstance().execute("stop");
    }
  }
}
