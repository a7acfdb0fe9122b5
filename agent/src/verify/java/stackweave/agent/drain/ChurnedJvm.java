package stackweave.agent.drain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.boot.Jvm;
import stackweave.testing.RunningCommand;

/** A JVM whose classes and code come and go. */
abstract class ChurnedJvm {
  @TempDir Path directory;

  static final int LONG_SECONDS = 1800;
  static final int DRAIN_MILLIS = 200;
  static final int GENERATION_MILLIS = 1200;

  /** Compiled early and into little room, so that code comes, goes and comes in the same place. */
  static final List<String> FLAGS =
      List.of(
          "-Xmx96m",
          "-XX:ReservedCodeCacheSize=16m",
          "-XX:Tier3InvocationThreshold=50",
          "-XX:Tier3MinInvocationThreshold=20",
          "-XX:Tier3CompileThreshold=100",
          "-XX:Tier3BackEdgeThreshold=1000",
          "-XX:Tier4InvocationThreshold=500",
          "-XX:Tier4MinInvocationThreshold=100",
          "-XX:Tier4CompileThreshold=1000",
          "-XX:Tier4BackEdgeThreshold=4000");

  Map<String, String> run(Path jdk, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(jdk.resolve("bin/java").toString()));
    command.addAll(FLAGS);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(ChurnProbe.class.getName());
    command.addAll(List.of(arguments));
    return RunningCommand.start(new ProcessBuilder(command), directory)
        .end(Duration.ofSeconds(2 * LONG_SECONDS))
        .successfully()
        .out()
        .lines()
        .map(line -> line.split(": ", 2))
        .filter(parts -> parts.length == 2)
        .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1], (a, b) -> a + "; " + b));
  }

  void assertNoneIsWrong(Jvm jvm, int seconds, int pairs) throws Exception {
    Map<String, String> lines =
        run(
            jvm.home(),
            Integer.toString(seconds),
            Integer.toString(pairs),
            Integer.toString(DRAIN_MILLIS),
            Integer.toString(GENERATION_MILLIS));
    System.out.println(jvm.home().getFileName() + " " + lines);
    assertEquals("0", lines.get("wrong"), lines::toString);
    assertEquals("0 null", lines.get("failures"), lines::toString);
    // What proves nothing: no pairs, or nothing that went away.
    assertTrue(Long.parseLong(lines.get("pairs")) > 100, lines::toString);
    assertTrue(Long.parseLong(lines.get("replaced")) > 0, lines::toString);
  }
}
