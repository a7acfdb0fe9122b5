package stackweave.verify.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.Jdk;

/**
 * How often Thread is changed, which stops the application for as long as the VM has classes to
 * adjust: by the VM's own log.
 */
class ThreadChangesIT {

  /** What the agent adds to the changes that JFR makes by itself, of JDK 17 when it begins. */
  private static long changes(Jdk jdk, int classes) throws IOException {
    return changes(jdk, classes, true) - changes(jdk, 1, false);
  }

  private static long changes(Jdk jdk, int classes, boolean sampled) throws IOException {
    ForkedJvm jvm = ForkedJvm.on(jdk).withoutLibraries();
    Path log = jvm.directory().resolve("safepoints");
    if (sampled) {
      jvm.agent("engine=timer");
    }
    List<String> args = new ArrayList<>(List.of(Integer.toString(classes), "3", "false"));
    if (!sampled) {
      args.add("no agent");
    }
    jvm.options("-Xlog:safepoint=info:file=" + log, "-Xlog:jfr+startup=off")
        .run("stackweave.verify.pauses.RecordedApp", args.toArray(String[]::new))
        .successfully();
    return Files.readAllLines(log).stream()
        .filter(line -> line.contains("Safepoint \"RedefineClasses\""))
        .count();
  }

  @ParameterizedTest
  @MethodSource("stackweave.verify.it.Jdks#all")
  void withManyClassesThreeRecordingsChangeThreadOnce(Jdk jdk) throws IOException {
    assertEquals(1, changes(jdk, 6_000));
  }

  /** The last time it may be that the JVM ends first. */
  @ParameterizedTest
  @MethodSource("stackweave.verify.it.Jdks#all")
  void withFewItGetsItsOwnCodeBackEachTime(Jdk jdk) throws IOException {
    long changes = changes(jdk, 1);
    assertTrue(changes == 5 || changes == 6, "changes: " + changes);
  }
}
