package stackweave.benchmarks.threads;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What threads cost the kernel, over the number of CPUs: memory, a thread's start and end, and the
 * reading of counts. A thread has as many events as there are CPUs, which need not be there: first
 * those of one thread that opens them and lets all others inherit; then as the agent does it,
 * within its budget (with {@code verification/src/main/c/cpus.c}).
 *
 * <p>Run as root on Linux; whatever else uses perf events meanwhile is counted, too. Arguments: the
 * agent's jar, the directory of the lab's libraries, and the most threads (10,000 if there is
 * none). The table goes to standard output.
 */
public final class ManyThreads {
  private static final List<Integer> CPUS = List.of(2, 8, 32, 128, 256);
  private static final int MAX_THREADS = 10_000;

  /** So much of the kernel's memory is not exceeded: other things live on this machine. */
  private static final long MAX_MEBIBYTES = 3_072;

  private ManyThreads() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path agent = Path.of(arguments[0]).toAbsolutePath();
    Path natives = Path.of(arguments[1]).toAbsolutePath();
    int most = arguments.length > 2 ? Integer.parseInt(arguments[2]) : MAX_THREADS;
    Path directory = Files.createTempDirectory("many-threads");
    System.out.println(
        "| CPUs | threads | sampled by | kernel memory, MiB | start and end, µs | reading counts, ms |");
    System.out.println("|---|---|---|---|---|---|");
    for (int cpus : CPUS) {
      print(run(agent, natives, directory, cpus, most, false), "" + cpus);
      print(run(agent, natives, directory, cpus, most, true), "" + cpus);
    }
    try (var left = Files.newDirectoryStream(directory)) {
      for (Path file : left) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }

  private static void print(List<String> lines, String cpus) {
    for (String line : lines) {
      System.out.println("| %s | %s |".formatted(cpus, line.replace(",", " | ")));
    }
  }

  /**
   * Runs a JVM.
   *
   * @param sampled whether the agent samples; otherwise as many events are inherited as there are
   *     CPUs, whatever that takes
   * @return a line for each number of threads
   */
  private static List<String> run(
      Path agent, Path natives, Path directory, int cpus, int most, boolean sampled)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-Xss256k",
                "-XX:+UseSerialGC",
                "-XX:ActiveProcessorCount=2",
                "-Xlog:jfr+startup=off"));
    Path counts = directory.resolve("counts");
    if (sampled) {
      command.add("-javaagent:" + agent);
      command.add("-XX:StartFlightRecording:filename=" + directory.resolve("recording.jfr"));
    }
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            ManyThreadsJvm.class.getName(),
            sampled ? counts.toString() : "-",
            "" + most,
            "" + MAX_MEBIBYTES,
            "" + cpus));
    ProcessBuilder builder = new ProcessBuilder(command);
    if (sampled) {
      builder.environment().put("CPUS", "" + cpus);
      builder.environment().put("CPUS_COUNTS", counts.toString());
      builder.environment().put("LD_PRELOAD", natives.resolve("libcpus.so").toString());
    }
    Path errors = directory.resolve("errors");
    Process process = builder.redirectError(errors.toFile()).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(String.join(" ", command) + "\n" + Files.readString(errors));
    }
    return out.lines().toList();
  }
}
