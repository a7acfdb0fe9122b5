package stackweave.verify.threads;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import stackweave.testing.Markdown;
import stackweave.verify.Built;

/**
 * What threads cost the kernel, over the number of CPUs: memory, a thread's start and end, and the
 * reading of counts. A thread has an event for each CPU, of CPUs that need not exist: first
 * inherited from one thread that opens them, then opened by the agent within its budget (with
 * {@code verification/src/main/c/cpus.c}).
 *
 * <p>{@code verification/threads} runs it, as root; whatever else uses perf events meanwhile is
 * counted, too. Argument: the most threads, 10,000 if there is none.
 */
public final class ManyThreads {
  private static final List<Integer> CPUS = List.of(2, 8, 32, 128, 256);
  private static final int MAX_THREADS = 10_000;

  /** The limit of the kernel's memory to use, because other processes run on this machine. */
  private static final long MAX_MEBIBYTES = 3_072;

  private ManyThreads() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    int most = arguments.length > 0 ? Integer.parseInt(arguments[0]) : MAX_THREADS;
    Path directory = Files.createTempDirectory("many-threads");
    Markdown page = new Markdown();
    page.table(
        ">CPUs",
        ">threads",
        "sampled by",
        ">kernel memory, MiB",
        ">start and end, µs",
        ">reading counts, ms");
    for (int cpus : CPUS) {
      for (boolean sampled : new boolean[] {false, true}) {
        for (String line : run(directory, cpus, most, sampled)) {
          page.row((cpus + "," + line).split(",", -1));
        }
      }
    }
    System.out.println(page);
    try (var left = Files.newDirectoryStream(directory)) {
      for (Path file : left) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }

  /**
   * Runs a JVM.
   *
   * @param sampled whether the agent samples; otherwise as many events are inherited as there are
   *     CPUs, whatever that takes
   * @return a line for each number of threads
   */
  private static List<String> run(Path directory, int cpus, int most, boolean sampled)
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
      command.add("-javaagent:" + Built.agentJar());
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
      builder.environment().put("LD_PRELOAD", Built.library("cpus").toString());
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
