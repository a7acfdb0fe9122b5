package stackweave.lab.overhead;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import stackweave.lab.overhead.MeasuredJvm.Plan;
import stackweave.testing.Jdk;

/**
 * Starts the JVMs that are measured.
 *
 * @param agent the agent's jar
 * @param directory for recordings, and for what the JVMs say on standard error: {@code errors.txt}
 * @param engine the agent's
 */
record Fork(Jdk jdk, Path agent, Path directory, String engine) {

  /** What every measured JVM is started with. */
  static final List<String> OPTIONS = List.of("-Xms512m", "-Xmx512m", "-Xlog:jfr+startup=off");

  Plan plan(List<WindowKind> kinds, int blocks, double seconds, long intervalNanos) {
    return new Plan(directory, agent, kinds, blocks, seconds, intervalNanos, engine);
  }

  /**
   * Runs one to its end.
   *
   * @return the lines of its standard output
   */
  List<String> run(Class<?> main, boolean withAgent, Plan plan)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(jdk.java().toString()));
    command.addAll(OPTIONS);
    if (withAgent) {
      command.add("-javaagent:" + agent + "=" + Profiling.EXPLICIT);
    }
    command.add("--add-exports=java.base/jdk.internal.vm=ALL-UNNAMED");
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(plan.arguments());
    Path errors = directory.resolve("errors.txt");
    Process process =
        new ProcessBuilder(command).redirectError(Redirect.appendTo(errors.toFile())).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(
          "%s failed on %s:%n%s".formatted(main.getSimpleName(), jdk, Files.readString(errors)));
    }
    return out.lines().toList();
  }
}
