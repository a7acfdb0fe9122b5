package stackweave.live.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jvms;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;

/**
 * How often the JDK's classes are changed, which stops the application for as long as the VM has
 * classes to adjust: by the VM's own log. What JFR changes by itself are not these classes.
 */
class ThreadChangesIT {
  private static final Pattern CHANGED =
      Pattern.compile(".*redefined name=(java\\.lang\\.Thread|jdk\\.internal\\.loader\\..*), .*");

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void threeRecordingsChangeClassesOnce(Jdk jdk) throws IOException {
    ForkedJvm jvm = Jvms.withoutLibraries(jdk).agent("engine=timer");
    Path log = jvm.directory().resolve("changes");
    jvm.options("-Xlog:redefine+class+load=info:file=" + log, "-Xlog:jfr+startup=off");
    jvm.run(RecordedApp.class.getName(), "3").successfully();
    List<String> changed =
        Files.readAllLines(log).stream()
            .map(CHANGED::matcher)
            .filter(Matcher::matches)
            .map(line -> line.group(1))
            .sorted()
            .toList();
    assertEquals(
        List.of(
            "java.lang.Thread",
            "jdk.internal.loader.NativeLibraries$NativeLibraryImpl",
            "jdk.internal.loader.RawNativeLibraries$RawNativeLibraryImpl"),
        changed);
  }
}
