package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.Works;
import stackweave.jfr.read.SampledRecording;
import stackweave.linux.Libc;
import stackweave.linux.SystemCalls;
import stackweave.testing.Ended;

/**
 * A crash stays a crash: what HotSpot writes when a Java thread gets SIGSEGV, JFR's recording among
 * it, is as without the agent. With {@code -Dcrashes=50} each is tried so often.
 */
@Order(5)
class CrashMoreIT {
  private static final int SIGSEGV = 11;
  private static final Duration WORK = Duration.ofMillis(500);
  private static final String THREAD = "busy";

  @TempDir Path directory;

  static Stream<Arguments> crashes() {
    int each = Integer.getInteger("crashes", 1);
    return Jvm.all()
        .flatMap(jvm -> Stream.of("perf", "timer").map(engine -> Arguments.of(jvm, engine)))
        .flatMap(crash -> Stream.generate(() -> crash).limit(each));
  }

  @ParameterizedTest
  @MethodSource("crashes")
  void leavesWhatHotSpotWritesAndTheSamples(Jvm jvm, String engine) throws Exception {
    List<String> arguments =
        List.of(
            "-XX:-CreateCoredumpOnCrash",
            "-javaagent:" + Jars.AGENT + "=engine=" + engine,
            "-XX:StartFlightRecording:filename=rec.jfr,+stackweave.NativeSample#interval=2ms",
            "-cp",
            Jars.apps().toString(),
            Works.class.getName());
    try (LiveJvm live = LiveJvm.start(jvm, directory, arguments, new ArrayList<>())) {
      live.awaitSamplesOf(THREAD, WORK);
      ProcessHandle process = ProcessHandle.of(live.pid()).orElseThrow();
      assertEquals(0, Libc.syscall(tgkill(), live.pid(), tid(live.pid()), SIGSEGV, 0, 0, 0));
      // Only then its standard input may be closed: an exit would take the recording away.
      process.onExit().get(1, TimeUnit.MINUTES);
      Ended ended = live.end();
      assertEquals(1, ended.exit(), "as without the agent");
      String name = "hs_err_pid" + live.pid();
      String log = Files.readString(directory.resolve(name + ".log"));
      assertTrue(log.contains("SIGSEGV") && log.strip().endsWith("END."), "the log is cut");
      assertHasSamples(directory.resolve(name + ".jfr"));
    }
  }

  private static void assertHasSamples(Path dump) throws Exception {
    long[] whole = new long[1];
    SampledRecording.open(dump)
        .forEachStack(
            (thread, end, frames, count, weight) ->
                whole[0] += end.isComplete() && thread.text().equals(THREAD) ? count : 0);
    assertTrue(whole[0] > 0, "no samples in " + dump);
  }

  private static int tgkill() {
    return SystemCalls.current().orElseThrow() == SystemCalls.X86_64 ? 234 : 131;
  }

  private static long tid(long pid) throws Exception {
    try (Stream<Path> tasks = Files.list(Path.of("/proc/" + pid + "/task"))) {
      for (Path task : tasks.toList()) {
        if (Files.readString(task.resolve("comm")).strip().equals(THREAD)) {
          return Long.parseLong(task.getFileName().toString());
        }
      }
    }
    throw new AssertionError("no thread " + THREAD);
  }
}
