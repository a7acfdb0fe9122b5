package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import stackweave.agent.apps.BurnsWhenTold;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Machine;

/** A recording, and the command line on it. */
@ResourceLock("CommandLineRuns") // its files are those of a class at a time
abstract class CommandLineRuns {
  @TempDir static Path directory;

  static Stream<Jvm> jvms() {
    return Jvm.all();
  }

  /** What a command says whose reader has enough before the first byte, as head may. */
  String endsWithItsReader(Jvm jvm, String export) throws Exception {
    List<String> words =
        ForkedJvm.agentCommand(jvm.jdk(), export, directory.resolve("rec.jfr"), "-o", "-");
    Process shell = new ProcessBuilder("sh", "-c", String.join(" ", words) + " | true").start();
    String said = new String(shell.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    shell.waitFor();
    return said.lines().filter(line -> !Machine.isOfLoad(line)).collect(Collectors.joining("\n"));
  }

  /** The rows below a heading, in their order. */
  static Set<String> rows(String top, String heading) {
    Set<String> rows = new LinkedHashSet<>();
    boolean within = false;
    for (String line : top.split("\n")) {
      if (within && line.isEmpty()) {
        break;
      }
      if (within && !line.matches(".*  in [\\d,]+ more [a-z]+")) {
        rows.add(line.strip().replaceAll(" {2,}", "  "));
      }
      within |= line.endsWith("  " + heading);
    }
    return rows;
  }

  static void assertFailed(String message, Ended result) {
    assertEquals("", result.out());
    assertEquals(1, result.err().lines().count(), result.err());
    assertTrue(result.err().matches("stackweave: (" + message + ")\n"), result.err());
    assertEquals(2, result.exit());
  }

  static long count(String collapsed) {
    return collapsed
        .lines()
        .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  /**
   * One of a program that began to work when it was sampled, and had 200 samples of that, or as
   * many as the machine delivers in so much CPU time; its work is most of what there is.
   */
  void recordWithAgent(Jvm jvm) throws Exception {
    Path made = directory.resolve(jvm.feature() + "-rec.jfr");
    if (!Files.exists(made)) {
      List<String> arguments =
          List.of(
              "-javaagent:" + Jars.AGENT,
              "-Xlog:jfr+startup=off",
              "-XX:StartFlightRecording:filename="
                  + made
                  + ",+stackweave.NativeSample#interval=2ms",
              "-cp",
              Jars.apps().toString(),
              BurnsWhenTold.class.getName());
      try (LiveJvm live = LiveJvm.start(jvm, directory, arguments, new ArrayList<>())) {
        live.awaitStatus("sampling", status -> status.startsWith("state: sampling"));
        live.tell("work", "burning");
        live.awaitSamplesOf("java", Duration.ofSeconds(1)); // as the kernel calls its main thread
        live.awaitMostOfCpu("java");
        live.awaitSamples(200);
        live.end().successfully();
      }
    }
    Files.copy(made, directory.resolve("rec.jfr"), StandardCopyOption.REPLACE_EXISTING);
  }

  Ended commandLine(Jvm jvm, String... arguments) throws Exception {
    return jvm.commandLine(directory, arguments);
  }
}
