package stackweave.live.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jvms;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.RunningCommand;

/**
 * How often Thread is changed, which stops the application for as long as the VM has classes to
 * adjust: by the VM's own log.
 */
class ThreadChangesIT {
  /** The classes that load libraries are changed once, and stay as they are then. */
  private static final int LOADS = 1;

  private static final String APP = RecordedApp.class.getName();

  /** What the agent adds to the changes that JFR makes by itself, of JDK 17 when it begins. */
  private static long changes(Jdk jdk) throws IOException {
    ForkedJvm sampled = jvm(jdk).agent("engine=timer");
    ForkedJvm alone = jvm(jdk);
    RunningCommand first = sampled.start(APP, "3");
    RunningCommand second = alone.start(APP, "3", "no agent");
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

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void threeRecordingsChangeThreadOnce(Jdk jdk) throws IOException {
    assertEquals(1 + LOADS, changes(jdk));
  }
}
