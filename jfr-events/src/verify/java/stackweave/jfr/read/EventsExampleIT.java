package stackweave.jfr.read;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import stackweave.jfr.Programs;
import stackweave.jfr.store.SampleWriter;
import stackweave.testing.Jdk;

/**
 * The reader that docs/events.md names reads a recording, without a class of ours on its class
 * path.
 */
@ResourceLock(Programs.OWN_JFR)
class EventsExampleIT {
  private static final Path SOURCE = Path.of("../docs/examples/ReadStacks.java");

  @TempDir Path directory;

  @Test
  void theExampleWorks() throws Exception {
    Path file = directory.resolve("rec.jfr");
    try (Recording recording = new Recording();
        SampleWriter writer = new SampleWriter()) {
      recording.start();
      writer.write(0, 1_500);
      recording.dump(directory.resolve("rotates.jfr"));
      writer.write(1_500, 1_500);
      recording.dump(file);
    }
    Path classes = Files.createDirectory(directory.resolve("classes"));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    int failed =
        compiler.run(
            null,
            errors,
            errors,
            "-Xlint:all",
            "-Werror",
            "-proc:none",
            "-cp",
            classes.toString(),
            "-d",
            classes.toString(),
            SOURCE.toString());
    assertEquals(0, failed, () -> errors.toString(StandardCharsets.UTF_8));

    Map<String, Long> expected = new TreeMap<>();
    SampledRecording.open(file)
        .forEachSample(
            sample -> {
              StringBuilder stack = new StringBuilder(sample.thread().name());
              for (SampledFrame frame : sample.frames()) {
                String type = frame.method().className();
                stack.append(';').append(type.isEmpty() ? "" : type + ".");
                stack.append(frame.method().name());
              }
              expected.merge(stack.toString(), sample.weightNanos(), Long::sum);
            });
    StringBuilder lines = new StringBuilder();
    expected.forEach((stack, nanos) -> lines.append(stack).append(' ').append(nanos).append('\n'));

    Path java = Jdk.in(Path.of(System.getProperty("java.home"))).java();
    Programs.Outcome outcome =
        Programs.run(
            List.of(java.toString(), "-cp", classes.toString(), "ReadStacks", file.toString()));
    assertEquals(0, outcome.exit(), outcome.output());
    assertEquals(lines.toString(), outcome.output());
    assertEquals(3_000_000, expected.values().stream().mapToLong(Long::longValue).sum());
  }
}
