package stackweave.jfr.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.jfr.Programs;
import stackweave.jfr.store.SampleWriter;
import stackweave.testing.Jdk;

/** A recording of a JVM that died, and the JDK's commands on one that is whole. */
@ResourceLock(Programs.OWN_JFR)
class SampledRecordingIT {
  @TempDir Path directory;

  /** A JVM that dies without a word leaves an unfinished chunk: what was flushed is read. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void aJvmThatDied(Jdk jdk) throws Exception {
    Programs.Outcome outcome =
        Programs.java(
            jdk,
            List.of("-XX:FlightRecorderOptions:repository=" + directory.resolve("repository")),
            SampleWriter.DyingProcess.class,
            List.of());
    Path left;
    try (Stream<Path> files = Files.walk(directory.resolve("repository"))) {
      left = files.filter(f -> f.toString().endsWith(".jfr")).findFirst().orElseThrow();
    }
    SampledRecording profile = SampledRecording.open(left);
    assertEquals(SampleWriter.DyingProcess.SAMPLES, profile.samples(), outcome.output());
    assertEquals(0, profile.unresolved());
    assertTrue(profile.losses().get(0).contains("cut short"), profile.losses().toString());
  }

  /** {@code jfr} of every JDK reads the file and finds the same number of samples. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void jfrReadsIt(Jdk jdk) throws Exception {
    Path whole = directory.resolve("whole.jfr");
    SampledRecordingTest.record(whole);
    Programs.Outcome summary =
        Programs.run(
            List.of(jdk.home().resolve("bin/jfr").toString(), "summary", whole.toString()));
    assertEquals(0, summary.exit(), summary.output());
    assertTrue(
        summary
            .output()
            .matches("(?s).*stackweave\\.StackSample +" + SampledRecordingTest.SAMPLES + " .*"),
        summary.output());
    Programs.Outcome print =
        Programs.run(
            List.of(
                jdk.home().resolve("bin/jfr").toString(),
                "print",
                "--events",
                "stackweave.StackSample",
                whole.toString()));
    assertEquals(0, print.exit());
    assertEquals(
        SampledRecordingTest.SAMPLES,
        print.output().split("stackweave\\.StackSample \\{", -1).length - 1);
    Programs.Outcome metadata =
        Programs.run(
            List.of(jdk.home().resolve("bin/jfr").toString(), "metadata", whole.toString()));
    assertTrue(metadata.output().contains("@Category(\"Stackweave\")"), metadata.output());
  }
}
