package stackweave.lab.cost;

import java.io.IOException;
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
import stackweave.lab.CpuTime;
import stackweave.lab.cost.app.Application;
import stackweave.lab.cost.app.Units;
import stackweave.lab.overhead.AgentState;

/**
 * Main class of a JVM that works all the time, and is sampled by one after another. Arguments: the
 * class of the application, its number of threads or 0, samples per CPU second, seconds of a
 * window, a directory for recordings, and the names of those that sample. For each round it prints
 * a line: CPU time of the process for a unit in ns in each one's window, in the arguments' order.
 * It ends when it is killed.
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
    List<Profiler> profilers =
        Arrays.stream(arguments).skip(5).map(Profiler::of).collect(Collectors.toList());
    try {
      jvm.run(profilers, (long) (1_000 * Double.parseDouble(arguments[3])));
    } catch (IOException | InterruptedException | RuntimeException e) {
      e.printStackTrace();
      System.exit(1); // the workers would go on
    }
  }

  private void run(List<Profiler> profilers, long millis) throws IOException, InterruptedException {
    for (Profiler profiler : profilers) {
      start(profiler);
      Thread.sleep(WARM_UP_MILLIS);
      stop(profiler);
    }
    List<Profiler> turns = new ArrayList<>(profilers);
    while (true) {
      Map<Profiler, Double> nanos = new HashMap<>();
      for (Profiler profiler : turns) {
        start(profiler);
        Thread.sleep(SETTLE_MILLIS);
        long unitsBefore = units.taken();
        long cpuBefore = CpuTime.ofProcess();
        Thread.sleep(millis);
        long cpu = CpuTime.ofProcess() - cpuBefore;
        nanos.put(profiler, (double) cpu / (units.taken() - unitsBefore));
        stop(profiler);
      }
      Collections.rotate(turns, 1);
      System.out.println(
          profilers.stream().map(nanos::get).map(String::valueOf).collect(Collectors.joining(" ")));
    }
  }

  private void start(Profiler profiler) throws IOException, InterruptedException {
    Path file = directory.resolve("window.jfr");
    if (!profiler.engine().isEmpty()) {
      recording = new Recording();
      recording
          .enable("stackweave.NativeSample")
          .with("interval", 1_000_000 / hz + " us")
          .with("engine", profiler.engine());
      recording.setDestination(file);
      long before = AgentState.samples();
      recording.start();
      AgentState.awaitSamples(before);
      AgentState.awaitEngine(profiler.engine());
    } else if (!profiler.command(hz, file).isEmpty()) {
      AsyncProfiler.getInstance().execute(profiler.command(hz, file).get(0));
    }
  }

  private void stop(Profiler profiler) throws IOException, InterruptedException {
    if (recording != null) {
      recording.close();
      recording = null;
      AgentState.awaitDormant();
    } else if (!profiler.command(hz, directory).isEmpty()) {
      AsyncProfiler.getInstance().execute("stop");
    }
  }
}
