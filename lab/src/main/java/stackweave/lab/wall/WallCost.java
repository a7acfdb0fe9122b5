package stackweave.lab.wall;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import one.profiler.AsyncProfiler;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.Markdown;

/**
 * What sampling of waiting threads costs {@link WaitingService}, beside async-profiler's wall mode
 * at the same interval: windows of some seconds in one process, in turn. {@code lab/wall --beside}
 * runs it. Arguments: seconds of each window, then {@code workers+idle} for each process.
 */
public final class WallCost {
  private static final int TURNS = 3;
  private static final int WARM_MILLIS = 20_000;
  private static final int SETTLE_MILLIS = 2_000;
  private static final String ASYNC_END = ",interval=10ms,jfr,file=";

  /** What is on in a window. */
  private enum Window {
    NOTHING("nothing"),
    CPU("Stackweave, CPU 10 ms"),
    CPU_AND_WALL("Stackweave, CPU 10 ms and waiting 20 ms"),
    ASYNC_CPU("async-profiler, CPU 10 ms"),
    ASYNC_CPU_AND_WALL("async-profiler, CPU 10 ms and wall 20 ms");

    private final String label;

    Window(String label) {
      this.label = label;
    }
  }

  private WallCost() {}

  /** Runs each service in a process of its own and prints the table. */
  public static void main(String[] arguments) throws IOException {
    Path directory = Files.createTempDirectory("wall");
    Markdown table = new Markdown();
    table.table(
        ">workers",
        ">idle",
        "on",
        ">CPU time of the process, ms a second",
        ">more than with nothing, % of a core",
        ">rounds of the workers a second",
        ">samples of waiting a second");
    for (int i = 1; i < arguments.length; i++) {
      String[] numbers = arguments[i].split("\\+");
      Path own = Files.createDirectory(directory.resolve("run" + i));
      Ended ended =
          ForkedJvm.on(Jdk.in(Path.of(System.getProperty("java.home"))), own)
              .agent("sample=explicit")
              .classPath(System.getProperty("java.class.path"))
              .run(Windows.class.getName(), arguments[0], numbers[0], numbers[1])
              .successfully();
      for (String line : ended.outLines()) {
        String[] cells = line.split("\t", -1);
        table.row(numbers[0], numbers[1], cells[0], cells[1], cells[2], cells[3], cells[4]);
      }
    }
    System.out.println(table);
  }

  /** The process: the service, and one window after the other. */
  public static final class Windows {
    private final OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final Map<Window, List<double[]>> measured = new EnumMap<>(Window.class);

    private Windows() {}

    /** Arguments: seconds of a window, workers, idle threads. */
    public static void main(String[] arguments) throws Exception {
      WaitingService.start(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
      Thread.sleep(WARM_MILLIS);
      Windows windows = new Windows();
      for (int turn = 0; turn < TURNS; turn++) {
        List<Window> order = new ArrayList<>(List.of(Window.values()));
        if (turn % 2 == 1) {
          Collections.reverse(order);
        }
        for (Window window : order) {
          windows.run(window, Long.parseLong(arguments[0]) * 1_000, Path.of("turn" + turn));
        }
      }
      double nothing = windows.median(Window.NOTHING, 0);
      for (Window window : Window.values()) {
        double cpu = windows.median(window, 0);
        System.out.println(
            String.format(
                Locale.ROOT,
                "%s\t%.1f\t%s\t%.0f\t%s",
                window.label,
                1_000 * cpu,
                window == Window.NOTHING
                    ? ""
                    : String.format(Locale.ROOT, "%.2f", 100 * (cpu - nothing)),
                windows.median(window, 1),
                windows.median(window, 2) < 0
                    ? ""
                    : String.format(Locale.ROOT, "%,.0f", windows.median(window, 2))));
      }
    }

    private double median(Window window, int figure) {
      List<Double> all = new ArrayList<>();
      measured.get(window).forEach(figures -> all.add(figures[figure]));
      Collections.sort(all);
      return all.get(all.size() / 2);
    }

    private void run(Window window, long millis, Path file) throws Exception {
      Path own = Path.of(file + "-" + window.ordinal() + ".jfr");
      Recording recording = start(window, own);
      Thread.sleep(SETTLE_MILLIS);
      long begin = System.nanoTime();
      final long cpu = system.getProcessCpuTime();
      final long rounds = WaitingService.rounds();
      Thread.sleep(millis);
      double seconds = (System.nanoTime() - begin) / 1e9;
      double cpuSeconds = (system.getProcessCpuTime() - cpu) / 1e9;
      final double done = WaitingService.rounds() - rounds;
      stop(window, recording, own);
      measured
          .computeIfAbsent(window, each -> new ArrayList<>())
          .add(
              new double[] {
                cpuSeconds / seconds,
                done / seconds,
                waits(window, own) / (seconds + SETTLE_MILLIS / 1e3)
              });
      Files.deleteIfExists(own);
    }

    private static Recording start(Window window, Path file) throws IOException {
      switch (window) {
        case NOTHING -> {
          return null;
        }
        case CPU, CPU_AND_WALL -> {
          Recording recording = new Recording();
          recording.enable("stackweave.NativeSample");
          if (window == Window.CPU_AND_WALL) {
            recording.enable("stackweave.WallSample").with("interval", "20 ms");
          }
          recording.start();
          return recording;
        }
        case ASYNC_CPU -> AsyncProfiler.getInstance().execute("start,event=cpu" + ASYNC_END + file);
        case ASYNC_CPU_AND_WALL ->
            AsyncProfiler.getInstance().execute("start,event=cpu,wall=20ms" + ASYNC_END + file);
      }
      return null;
    }

    private static void stop(Window window, Recording recording, Path file) throws IOException {
      if (recording != null) {
        recording.stop();
        recording.dump(file);
        recording.close();
      } else if (window != Window.NOTHING) {
        AsyncProfiler.getInstance().execute("stop");
      }
    }

    /** Samples of waiting threads in a recording; −1 if none were asked for. */
    private static double waits(Window window, Path file) throws IOException {
      return switch (window) {
        case CPU_AND_WALL -> count(file, "stackweave.WallSample");
        case ASYNC_CPU_AND_WALL -> count(file, "profiler.WallClockSample");
        default -> -1;
      };
    }

    private static double count(Path file, String type) throws IOException {
      long count = 0;
      try (RecordingFile events = new RecordingFile(file)) {
        while (events.hasMoreEvents()) {
          count += events.readEvent().getEventType().getName().equals(type) ? 1 : 0;
        }
      }
      return count;
    }
  }
}
