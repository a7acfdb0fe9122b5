package stackweave.lab.fleet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import stackweave.lab.Built;
import stackweave.lab.CpuTime;
import stackweave.lab.Kibibytes;

/**
 * Spark on this machine: a master and workers with a core each, or, without workers, only the
 * driver. Closing it ends all. Not thread-safe.
 */
final class SparkCluster implements AutoCloseable {
  /**
   * What a command took.
   *
   * @param seconds of wall-clock time
   * @param driverNanos CPU time of the driver
   * @param executorNanos CPU time of all workers and executors
   * @param executorKibibytes the most memory that an executor had; of the driver without workers
   * @param out what it printed
   */
  record Taken(
      double seconds, long driverNanos, long executorNanos, long executorKibibytes, String out) {}

  private static final Path FLEET = Built.target().resolve("../../fleet").normalize();
  private static final int LOOK_MILLIS = 100;
  private static final long TICK_NANOS = 10_000_000;

  /** An executor's memory for Java objects, so that all of it stays below a GiB. */
  private static final String HEAP = "640m";

  private final List<Process> daemons = new ArrayList<>();
  private final List<Process> workers = new ArrayList<>();
  private final String master;
  private final Path directory;

  /**
   * Starts it.
   *
   * @param executors workers; 0 for none
   * @param directory for its files
   */
  SparkCluster(int executors, Path directory) throws IOException, InterruptedException {
    this.directory = Files.createDirectories(directory);
    if (executors == 0) {
      master = "local[2]";
      return;
    }
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    master = "spark://localhost:" + port;
    start("master.Master", "--host", "localhost", "--port", "" + port, "--webui-port", "0");
    TimeUnit.SECONDS.sleep(5);
    for (int i = 0; i < executors; i++) {
      workers.add(
          start(
              "worker.Worker",
              "--host",
              "localhost",
              "--cores",
              "1",
              "--memory",
              "1g",
              "--webui-port",
              "0",
              "--work-dir",
              directory.resolve("work" + i).toString(),
              master));
    }
    TimeUnit.SECONDS.sleep(5);
  }

  private Process start(String daemon, String... arguments) throws IOException {
    List<String> words = new ArrayList<>();
    words.add(FLEET.resolve("spark-class").toString());
    words.add("org.apache.spark.deploy." + daemon);
    words.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(words)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve(daemon + daemons.size() + ".log").toFile())
            .start();
    daemons.add(process);
    return process;
  }

  /** Runs a command of the fleet to its end. */
  Taken run(String command, String... arguments) throws IOException, InterruptedException {
    List<String> words = new ArrayList<>();
    words.add(FLEET.resolve("spark-submit").toString());
    words.addAll(List.of("--master", master, "--driver-memory", HEAP, "--executor-memory", HEAP));
    words.addAll(List.of("--class", "stackweave.fleet." + command));
    words.add(FLEET.resolve("target/stackweave-fleet.jar").toString());
    words.addAll(List.of(arguments));
    long children = CpuTime.ofChildren();
    long executors = cpuNanos();
    long begin = System.nanoTime();
    Path out = directory.resolve("out.txt");
    Process driver =
        new ProcessBuilder(words)
            .redirectOutput(out.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    long peak = 0;
    while (!driver.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
      peak = Math.max(peak, workers.isEmpty() ? peak(driver.toHandle()) : peak());
    }
    double seconds = (System.nanoTime() - begin) / 1e9;
    if (driver.exitValue() != 0) {
      throw new IOException(command + " ended with " + driver.exitValue());
    }
    TimeUnit.SECONDS.sleep(3); // until executors have ended, and their workers know it
    return new Taken(
        seconds,
        CpuTime.ofChildren() - children,
        cpuNanos() - executors,
        peak,
        Files.readString(out));
  }

  private long peak() {
    return workers.stream()
        .flatMap(Process::children)
        .mapToLong(SparkCluster::peak)
        .max()
        .orElse(0);
  }

  private static long peak(ProcessHandle process) {
    try {
      return Kibibytes.in(Path.of("/proc/" + process.pid() + "/status"), "VmHWM:");
    } catch (IOException e) {
      return 0; // it has ended
    }
  }

  /** What all workers have used, with their executors that have ended. */
  private long cpuNanos() {
    long ticks = 0;
    for (Process worker : workers) {
      try {
        String stat = Files.readString(Path.of("/proc/" + worker.pid() + "/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        for (int field = 11; field <= 14; field++) { // utime, stime, cutime, cstime
          ticks += Long.parseLong(fields[field]);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return ticks * TICK_NANOS;
  }

  @Override
  public void close() {
    for (int i = daemons.size() - 1; i >= 0; i--) {
      daemons.get(i).destroy();
      daemons.get(i).onExit().join();
    }
  }
}
