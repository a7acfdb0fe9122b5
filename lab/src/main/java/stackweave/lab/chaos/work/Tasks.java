package stackweave.lab.chaos.work;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The threads of this process as the kernel lists them, whoever started them. */
public final class Tasks {
  private static final Path TASKS = Path.of("/proc/self/task");
  private static final int SIGRTMIN = 34;
  private static final long MIN_RING = 64 << 10;

  private Tasks() {}

  /**
   * How long sampling is waited for; then the run goes on, and fails for lack of samples if there
   * are none.
   */
  private static final long MAX_START_NANOS = 20_000_000_000L;

  /** Waits until the agent has timers or ring buffers to sample by. */
  public static void awaitSampling() throws IOException, InterruptedException {
    long begin = System.nanoTime();
    while (!hasTimers() && !hasRings() && System.nanoTime() - begin < MAX_START_NANOS) {
      Thread.sleep(50);
    }
  }

  /** Whether there are timers with a real-time signal: other profilers' timers send SIGPROF. */
  private static boolean hasTimers() throws IOException {
    Path timers = Path.of("/proc/self/timers");
    return Files.exists(timers)
        && Files.readAllLines(timers).stream()
            .filter(line -> line.startsWith("signal:"))
            .anyMatch(line -> Integer.parseInt(line.substring(8, line.indexOf('/'))) >= SIGRTMIN);
  }

  /** Whether there are large ring buffers: other profilers' have a page or two. */
  private static boolean hasRings() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/maps")).stream()
        .filter(line -> line.contains("[perf_event]"))
        .map(line -> line.substring(0, line.indexOf(' ')).split("-"))
        .anyMatch(range -> Long.parseLong(range[1], 16) - Long.parseLong(range[0], 16) >= MIN_RING);
  }

  /** Thread ids; some may have ended. */
  public static List<Integer> list() throws IOException {
    List<Integer> tids = new ArrayList<>();
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
      for (Path task : tasks) {
        tids.add(Integer.parseInt(task.getFileName().toString()));
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return tids;
  }
}
