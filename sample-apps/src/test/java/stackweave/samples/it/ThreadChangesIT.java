package stackweave.samples.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.samples.matrix.Jdk;

/**
 * How often Thread is changed, which stops the application for as long as the VM has classes to
 * adjust: by the VM's own log.
 */
class ThreadChangesIT {

  private static long changes(Jdk jdk, int classes) throws IOException {
    ForkedJvm jvm = ForkedJvm.on(jdk);
    Path log = jvm.directory().resolve("safepoints");
    jvm.withoutLibraries()
        .agent("engine=timer")
        .options("-Xlog:safepoint=info:file=" + log, "-Xlog:jfr+startup=off")
        .run("stackweave.samples.pauses.RecordedApp", Integer.toString(classes), "3", "false")
        .successfully();
    return Files.readAllLines(log).stream()
        .filter(line -> line.contains("Safepoint \"RedefineClasses\""))
        .count();
  }

  @ParameterizedTest
  @MethodSource("stackweave.samples.it.Jdks#all")
  void withManyClassesThreeRecordingsChangeThreadOnce(Jdk jdk) throws IOException {
    assertEquals(1, changes(jdk, 6_000));
  }

  @ParameterizedTest
  @MethodSource("stackweave.samples.it.Jdks#all")
  void withFewItGetsItsOwnCodeBackEachTime(Jdk jdk) throws IOException {
    assertEquals(6, changes(jdk, 1));
  }
}
