package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.apps.Works;
import stackweave.jfr.read.SampledRecording;
import stackweave.testing.Ended;

/** A JVM that is let do little, and what it recorded. */
abstract class ConfinedJvm {
  static final int SAMPLES = 10;

  /**
   * CPU time in which there are as many, and twenty-five times as many at 4 ms, the kernel's tick:
   * some machines deliver a tenth of their ticks.
   */
  static final Duration WORK = Duration.ofSeconds(1);

  @TempDir Path directory;

  /** Those that have a security manager. */
  static Stream<Jvm> guardingJvms() {
    return Jvm.all().filter(jvm -> jvm.feature() < 24);
  }

  /** Runs it until there are samples, and to its end. */
  Ended sampled(Jvm jvm, List<String> under, String... more) throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of("-Xlog:jfr+startup=off", "-Xlog:jfr+system=off", "-javaagent:" + Jars.AGENT));
    arguments.addAll(Arrays.asList(more));
    List<String> printed = new ArrayList<>();
    try (LiveJvm live = LiveJvm.start(jvm, directory, under, arguments, printed)) {
      live.awaitSamplesOf("busy", WORK);
      assertTrue(printed.isEmpty() || printed.equals(List.of("denied")), printed.toString());
      Ended result = live.end();
      assertEquals(0, result.exit(), result.err());
      assertEquals("done\n", result.out());
      return result;
    }
  }

  static String recording() {
    return "-XX:StartFlightRecording:filename=rec.jfr,+stackweave.NativeSample#interval=2ms";
  }

  String[] works(String... more) {
    List<String> arguments = new ArrayList<>(Arrays.asList(more));
    arguments.addAll(
        List.of(
            "-Xlog:jfr+startup=off",
            "-XX:FlightRecorderOptions:repository=" + directory.resolve("repository"),
            recording(),
            "-Duser.home=/nonexistent",
            "-cp",
            Jars.apps().toString(),
            Works.class.getName()));
    return arguments.toArray(new String[0]);
  }

  /** A shell in a mount namespace of its own that makes every usual directory noexec. */
  static List<String> without(String more) throws IOException {
    assumeTrue(
        Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "mounting is root's");
    return List.of(
        "unshare",
        "--mount",
        "sh",
        "-ec",
        "for d in /tmp /var/tmp /dev/shm /run; do"
            + " mount --bind $d $d; mount -o remount,bind,noexec $d; done; cd \"$PWD\"; "
            + more
            + " exec \"$@\"",
        "sh");
  }

  void assertHasSamples() throws Exception {
    long[] ofApplication = new long[1];
    SampledRecording.open(directory.resolve("rec.jfr"))
        .forEachStack(
            (thread, end, frames, count, weight) -> {
              if (end.isComplete()
                  && frames.stream().anyMatch(frame -> frame.text().endsWith("BurnsCpu.burn"))) {
                ofApplication[0] += count;
              }
            });
    assertTrue(ofApplication[0] >= SAMPLES, "whole stacks: " + ofApplication[0]);
  }
}
