package stackweave.agent.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.NativeLibrary;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Threads that can't take our signal never get it, and are said. */
class SignalMaskTest {
  private static final long MILLISECOND = 1_000_000;

  @TempDir static Path directory;
  private static Path program;
  private static NativeLibrary masks;

  @BeforeAll
  static void compile() throws Exception {
    program = Gcc.compile(directory, "masks.c", "masks", "-pthread");
    Path library = Gcc.compile(directory, "masks.c", "masks.so", "-shared", "-fPIC", "-pthread");
    masks = NativeLibrary.getInstance(library.toString());
  }

  static List<Path> jdks() {
    return ForkedJvm.jdks();
  }

  private static int call(String function, Object... arguments) {
    return masks.getFunction(function).invokeInt(arguments);
  }

  private static EngineConfig config() {
    return new EngineConfig(MILLISECOND, EngineConfig.MAX_STACK_BYTES, EngineKind.TIMER);
  }

  /** What it uses is missing from the samples, and the gap is stated. */
  @Test
  void aThreadThatBlocksEverythingIsSkippedAndCounted() throws Exception {
    Recorder recorder = new Recorder();
    int[] most = {0};
    String[] note = {""};
    recorder.onStep =
        running -> {
          int skipped = running.statistics().skippedThreads();
          if (skipped > most[0]) {
            most[0] = skipped;
            note[0] = running.note();
          }
        };
    recorder.run(
        config(),
        () -> {
          call("masked_burner", 400);
          Burner.start("beside", 100 * MILLISECOND).join();
        });
    assertEquals(1, most[0], note[0]);
    assertTrue(note[0].contains("1 threads are not sampled, for they block signal"), note[0]);
    int masked = call("masked_tid");
    assertTrue(recorder.samples.stream().noneMatch(sample -> sample.tid() == masked));
    assertTrue(recorder.samples.size() > 5, recorder.statistics.toString());
    EngineStatistics statistics = recorder.statistics;
    long gap = statistics.cpuUsedNanos() - statistics.cpuCoveredNanos();
    assertTrue(gap > 250 * MILLISECOND, statistics.toString());
  }

  /** It would take our signal for one of those that it waits for. */
  @Test
  void aThreadThatWaitsForAllSignalsNeverGetsOurs() throws Exception {
    call("start_waiter", 0);
    Thread.sleep(50); // now it waits: as long its mask does not show what it waits for
    Recorder recorder =
        Recorder.record(
            config(),
            () -> {
              call("wake_waiter", 20);
              Burner.start("beside", 50 * MILLISECOND).join();
            });
    call("end_waiter", 0);
    assertEquals(0, call("strange_signals"));
    assertTrue(call("expected_signals") >= 5); // those sent to one that is busy are one
    assertEquals(1, recorder.statistics.skippedThreads());
    assertTrue(recorder.samples.size() > 2, recorder.statistics.toString());
  }

  /** A parent that blocks all signals hands its mask down to every thread of the JVM. */
  @ParameterizedTest
  @MethodSource("jdks")
  void whereNoThreadTakesASignalTheEngineSaysSo(Path jdk) throws Exception {
    ForkedJvm jvm = new ForkedJvm(directory);
    ForkedJvm.Result result =
        jvm.run(jdk, List.of(program.toString()), "1000", "100", "0", "TIMER");
    String refusal = result.line("refusal");
    assertTrue(refusal.startsWith("SIGNAL_BLOCKED timer: all "), result.output());
    assertTrue(refusal.contains("an empty signal mask lifts it"), refusal);
    assertEquals("done", result.line("application"), result.output());
  }
}
