package stackweave.live.harm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;

/** Threads, file descriptors and mappings of the agent: before, while and after it samples. */
class FootprintIT {

  private static final int[] SECONDS = {0, 1, 2, 5, 10, 20, 30, 45, 60};

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void nothingButTheJarBeforeTheFirstRecording(Jdk jdk) {
    Footprint footprint = Footprint.on(jdk);
    assertEquals(List.of(), footprint.of("start", "thread"));
    List<String> fds = footprint.of("start", "fd");
    fds.removeIf(fd -> fd.equals(Footprint.comparable("fd " + ForkedJvm.AGENT)));
    assertEquals(List.of(), fds);
    List<String> maps = footprint.of("start", "map");
    maps.removeIf(FootprintIT::isTheJdks);
    assertEquals(List.of(), maps);
  }

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void theSameAfterTheLastRecording(Jdk jdk) {
    Footprint footprint = Footprint.on(jdk);
    assertFalse(footprint.of("recording", "thread").isEmpty(), "no thread while sampling");
    assertTrue(
        footprint.of("recording", "fd").stream().anyMatch(fd -> fd.contains("perf_event")),
        "no perf events while sampling");

    List<String> left = List.of();
    for (int seconds : SECONDS) {
      String stage = "after-" + seconds;
      if (!footprint.has(stage)) {
        break;
      }
      left = new ArrayList<>(footprint.of(stage, "thread"));
      left.addAll(footprint.of(stage, "fd"));
      left.addAll(footprint.of(stage, "map"));
      left.removeIf(FootprintIT::isExplained);
      System.out.printf("%s, %d s after the last recording: %s%n", jdk, seconds, left);
      if (left.isEmpty()) {
        break;
      }
    }
    assertEquals(List.of(), left);
  }

  /**
   * What the JDK needs for any agent, and keeps: java.lang.instrument, and jar files read in Java.
   */
  private static boolean isTheJdks(String map) {
    return map.matches("map .*/lib(instrument|zip)\\.so");
  }

  /** The remainders that are meant to be, each with its reason. */
  private static boolean isExplained(String remainder) {
    return isTheJdks(remainder)
        // The agent is on the class path by specification: the VM keeps it open.
        || remainder.equals(Footprint.comparable("fd " + ForkedJvm.AGENT))
        // A JNI library is closed when its loader is collected, and ours lives as long as the JVM
        // may make another recording: unpacking JNA again each time would cost 75 ms of CPU.
        || remainder.matches("map .*/libjnidispatch.so \\(deleted\\)")
        // There for moments after recordings change: a later look does not find it.
        || remainder.equals("thread stackweave-cont")
        // Of the JDK: it takes the compiler directive.
        || remainder.matches("map .*/libmanagement(_ext)?.so")
        // libffi, in JNA, keeps the memory of its closures in a file without a name.
        || remainder.matches("(fd|map) /.*/ffi\\w+ \\(deleted\\)");
  }
}
