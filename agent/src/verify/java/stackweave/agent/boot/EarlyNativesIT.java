package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.Hello;
import stackweave.testing.Ended;

/** JNA is loaded before JFR begins, if the command line starts a recording. */
class EarlyNativesIT {
  @TempDir private Path directory;

  private Ended hello(Jvm jvm, String... options) throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-javaagent:" + Jars.AGENT,
                "-Xlog:class+load:file=" + log(),
                "-Djava.io.tmpdir=" + Files.createDirectories(directory.resolve("temporary"))));
    arguments.addAll(List.of(options));
    arguments.addAll(List.of("-cp", Jars.apps().toString(), Hello.class.getName()));
    return jvm.run(directory, arguments);
  }

  private Path log() {
    return directory.resolve("loaded.log");
  }

  private boolean isJnaLoaded() throws IOException {
    try (Stream<String> lines = Files.lines(log())) {
      return lines.anyMatch(line -> line.contains(" com.sun.jna.Native "));
    }
  }

  /** Its file has no name when it is written, whenever the JVM ends. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void noFileStaysWhereTheRecordingCantStart(Jvm jvm) throws Exception {
    Ended ended = hello(jvm, "-XX:StartFlightRecording:filename=/nonexistent/x.jfr");
    assertNotEquals(0, ended.exit());
    try (Stream<Path> left = Files.list(directory.resolve("temporary"))) {
      assertEquals(List.of(), left.toList());
    }
  }

  /** The metaspace here is so small that sampling never begins. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void whereItIsLimitedNothingIs(Jvm jvm) throws Exception {
    String recording = "-XX:StartFlightRecording:filename=" + directory.resolve("x.jfr");
    Ended limited = hello(jvm, recording, "-XX:MaxMetaspaceSize=14m");
    assertEquals(0, limited.exit(), limited.err());
    assertEquals(false, isJnaLoaded(), "with a limit");
    Ended unlimited = hello(jvm, recording);
    assertEquals(0, unlimited.exit(), unlimited.err());
    assertEquals(true, isJnaLoaded(), "without one");
    Ended none = hello(jvm);
    assertEquals(0, none.exit(), none.err());
    assertEquals(false, isJnaLoaded(), "without a recording");
  }
}
