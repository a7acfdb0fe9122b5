package stackweave.verify.it;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.RunningCommand;

/**
 * How often Thread is changed, which stops the application for as long as the VM has classes to
 * adjust: by the VM's own log.
 */
class ThreadChangesIT {
  /** The classes that load libraries are changed once, and stay as they are then. */
  static final int LOADS = 1;

  private static final String APP = "stackweave.verify.pauses.RecordedApp";

  /** What the agent adds to the changes that JFR makes by itself, of JDK 17 when it begins. */
  static long changes(Jdk jdk, int classes) throws IOException {
    ForkedJvm sampled = jvm(jdk).agent("engine=timer");
    ForkedJvm alone = jvm(jdk);
    RunningCommand first = sampled.start(APP, Integer.toString(classes), "3", "false");
    RunningCommand second = alone.start(APP, "1", "3", "false", "no agent");
    sampled.end(first).successfully();
    alone.end(second).successfully();
    return changes(sampled) - changes(alone);
  }

  private static ForkedJvm jvm(Jdk jdk) {
    ForkedJvm jvm = Jvms.withoutLibraries(jdk);
    return jvm.options("-Xlog:safepoint=info:file=" + log(jvm), "-Xlog:jfr+startup=off");
  }

  private static Path log(ForkedJvm jvm) {
    return jvm.directory().resolve("safepoints");
  }

  private static long changes(ForkedJvm ended) throws IOException {
    return Files.readAllLines(log(ended)).stream()
        .filter(line -> line.contains("Safepoint \"RedefineClasses\""))
        .count();
  }

  /**
   * Three times there and back. The last time it may be that the JVM ends first; on a slow machine
   * the next recording may begin before what is left of the one before is taken back.
   */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void withFewItGetsItsOwnCodeBackEachTime(Jdk jdk) throws IOException {
    long changes = changes(jdk, 1);
    System.out.println(jdk + ", changes by three recordings: " + changes);
    assertTrue(changes >= 3 + LOADS && changes <= 6 + LOADS, "changes: " + changes);
  }
}
