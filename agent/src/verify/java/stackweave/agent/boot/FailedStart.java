package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.apps.Hello;
import stackweave.testing.Ended;

/** A JVM whose agent can't start. */
abstract class FailedStart {
  @TempDir Path directory;

  static Stream<Jvm> jvms() {
    return Jvm.all();
  }

  static void assertOneLine(Ended result, String message) {
    assertEquals("hello\n", result.out());
    assertEquals(0, result.exit());
    List<String> lines = result.err().lines().toList();
    assertEquals(2, lines.size(), result.err());
    assertTrue(Pattern.matches("stackweave: " + message, lines.get(0)), result.err());
    assertEquals("hello on stderr", lines.get(1));
  }

  Ended hello(Jvm jvm, Path agent, String options, String... more) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(more));
    arguments.add("-javaagent:" + agent + (options == null ? "" : "=" + options));
    arguments.addAll(List.of("-cp", Jars.apps().toString(), Hello.class.getName()));
    return jvm.run(directory, arguments);
  }

  /** Our jar, with a start() of which this is the body. */
  Path agentThat(String body) throws IOException {
    Path source = Files.createDirectories(directory.resolve("src")).resolve("Agent.java");
    Files.writeString(
        source,
        """
        package stackweave.agent;
        public class Agent {
          public static void start(
              String options, java.lang.instrument.Instrumentation instrumentation) {
            %s
          }
        }
        """
            .formatted(body));
    String classes = directory.toString();
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "--release", "17", "-d", classes, source.toString());
    assertEquals(0, failed);
    byte[] compiled = Files.readAllBytes(directory.resolve("stackweave/agent/Agent.class"));
    return Jars.agentWith(directory, Map.of("stackweave/stackweave/agent/Agent.class", compiled));
  }
}
