package stackweave.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs the fuzzer Jazzer in a JVM of its own: first all inputs of the seed directories, then what
 * it makes of them: {@value #RUNS} inputs, from the same seed each time, so that a build does not
 * fail for what it happens to find; or for {@code -Dfuzz.seconds}, from another seed each time. An
 * input that takes two minutes or 1 GiB counts as a failure, as an exception does.
 *
 * <p>Not by jazzer-junit: it fuzzes one test per JVM, and only when an environment variable says
 * so.
 */
public final class Jazzer {
  private static final int RUNS = 2_000;
  private static final Pattern DONE = Pattern.compile("Done (\\d+) runs");

  private Jazzer() {}

  /** Fails with Jazzer's report, which holds the input, if an input makes the target fail. */
  public static void run(Class<?> target, int maxLength, List<Path> seeds)
      throws IOException, InterruptedException {
    Long seconds = Long.getLong("fuzz.seconds");
    Path made = Files.createTempDirectory("jazzer");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // Jazzer instruments by an agent that it loads itself; from JDK 21 on that wants a permission.
    command.add("-XX:+EnableDynamicAgentLoading");
    if (seconds == null) {
      command.addAll(ForkedJvm.quick(List.of()));
    }
    command.addAll(List.of("-Xmx1g", "-cp", System.getProperty("java.class.path")));
    command.add("com.code_intelligence.jazzer.Jazzer");
    command.add("--target_class=" + target.getName());
    command.add("--instrumentation_includes=stackweave.**");
    command.add("--reproducer_path=" + made);
    if (seconds == null) {
      command.addAll(List.of("-runs=" + RUNS, "-seed=1"));
    } else {
      command.add("-max_total_time=" + seconds);
    }
    command.addAll(List.of("-max_len=" + maxLength, "-timeout=120"));
    command.addAll(List.of("-rss_limit_mb=3000", "-print_final_stats=1"));
    command.add("-artifact_prefix=" + made + "/");
    command.add(System.getProperty("fuzz.keep", Files.createDirectory(made.resolve("new")) + ""));
    for (Path seed : seeds) {
      require(Files.isDirectory(seed), "no directory of inputs: " + seed);
      command.add(seed.toString());
    }
    Duration patience = Duration.ofSeconds(1_200).plusSeconds(seconds == null ? 0 : 2 * seconds);
    Ended ended = RunningCommand.start(new ProcessBuilder(command), made).end(patience);
    String report = ended.out() + ended.err();
    require(ended.exit() == 0, report);
    Matcher done = DONE.matcher(report);
    require(
        done.find() && Long.parseLong(done.group(1)) >= (seconds == null ? RUNS : 1_000), report);
  }

  private static void require(boolean holds, String report) {
    if (!holds) {
      throw new AssertionError(report);
    }
  }
}
