package stackweave.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs the fuzzer Jazzer in a JVM of its own: first all inputs of the seed directories, then what
 * it makes of them, for {@code -Dfuzz.seconds} (5). An input that takes 10 seconds or 1 GiB counts
 * as a failure, as an exception does.
 *
 * <p>Not by jazzer-junit: it fuzzes one test per JVM, and only when an environment variable says
 * so.
 */
public final class Jazzer {
  private static final long SECONDS = Long.getLong("fuzz.seconds", 5);
  private static final Pattern DONE = Pattern.compile("Done (\\d+) runs");

  private Jazzer() {}

  /** Fails with Jazzer's report, which holds the input, if an input makes the target fail. */
  public static void run(Class<?> target, int maxLength, List<Path> seeds)
      throws IOException, InterruptedException {
    Path made = Files.createTempDirectory("jazzer");
    Path log = made.resolve("log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // Jazzer instruments by an agent that it loads itself; from JDK 21 on that wants a permission.
    command.add("-XX:+EnableDynamicAgentLoading");
    command.addAll(List.of("-Xmx1g", "-cp", System.getProperty("java.class.path")));
    command.add("com.code_intelligence.jazzer.Jazzer");
    command.add("--target_class=" + target.getName());
    command.add("--instrumentation_includes=stackweave.**");
    command.add("--reproducer_path=" + made);
    command.addAll(List.of("-max_total_time=" + SECONDS, "-max_len=" + maxLength, "-timeout=10"));
    command.addAll(List.of("-rss_limit_mb=3000", "-print_final_stats=1"));
    command.add("-artifact_prefix=" + made + "/");
    command.add(System.getProperty("fuzz.keep", Files.createDirectory(made.resolve("new")) + ""));
    for (Path seed : seeds) {
      require(Files.isDirectory(seed), "no directory of inputs: " + seed);
      command.add(seed.toString());
    }
    int status =
        new ProcessBuilder(command)
            .directory(Path.of("").toAbsolutePath().toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start()
            .waitFor();
    String report = Files.readString(log, java.nio.charset.StandardCharsets.ISO_8859_1);
    require(status == 0, report);
    Matcher done = DONE.matcher(report);
    require(done.find() && Long.parseLong(done.group(1)) > 1000, report);
  }

  private static void require(boolean holds, String report) {
    if (!holds) {
      throw new AssertionError(report);
    }
  }
}
