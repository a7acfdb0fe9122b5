package stackweave.engine.timer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.NativeLibrary;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.engine.Burner;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineFigure;
import stackweave.engine.EngineJvm;
import stackweave.engine.EngineStatistics;
import stackweave.engine.Recorder;
import stackweave.jfr.control.EngineKind;
import stackweave.testing.Gcc;
import stackweave.testing.Jdk;

/** Threads that can't take our signal never get it, and are said. */
@ResourceLock("TimerEngine") // one runs in a process
class SignalMaskIT {
  private static final long MILLISECOND = 1_000_000;

  @TempDir static Path directory;
  static Path program;
  static NativeLibrary masks;

  @BeforeAll
  static void compile() throws Exception {
    program = Gcc.compile(directory, "masks.c", "masks", "-pthread");
    Path library = Gcc.compile(directory, "masks.c", "masks.so", "-shared", "-fPIC", "-pthread");
    masks = NativeLibrary.getInstance(library.toString());
  }

  private static int call(String function, Object... arguments) {
    return masks.getFunction(function).invokeInt(arguments);
  }

  /** What it uses is missing from the samples, and the gap is stated. */
  @Test
  void aThreadThatBlocksEverythingIsSkippedAndCounted() throws Exception {
    Recorder recorder = new Recorder();
    String[] note = {""};
    CountDownLatch sampled = new CountDownLatch(6);
    recorder.onSample = snapshot -> sampled.countDown();
    // At some time it is the only one: for a moment, which is long on a busy machine, threads that
    // begin or end block all signals, too.
    recorder.onStep =
        running -> {
          if (running.statistics().get(EngineFigure.THREADS_SKIPPED) == 1) {
            note[0] = running.note();
          }
        };
    recorder.run(
        config(),
        () -> {
          call("masked_burner", 1_500);
          burnUntil(sampled);
        });
    assertTrue(note[0].contains("threads not sampled, for they block signal"), note[0]);
    int masked = call("masked_tid");
    assertTrue(recorder.samples.stream().noneMatch(sample -> sample.tid() == masked));
    EngineStatistics statistics = recorder.statistics;
    long gap = statistics.get(EngineFigure.CPU_USED) - statistics.get(EngineFigure.CPU_COVERED);
    assertTrue(gap > 250 * MILLISECOND, statistics.toString());
  }

  /** It would take our signal for one of those that it waits for. */
  @Test
  void aThreadThatWaitsForAllSignalsNeverGetsOurs() throws Exception {
    call("start_waiter", 0); // now it waits: as long its mask does not show what it waits for
    Recorder recorder = new Recorder();
    CountDownLatch skipped = new CountDownLatch(1);
    CountDownLatch sampled = new CountDownLatch(3);
    recorder.onSample = snapshot -> sampled.countDown();
    // Others come into doubt now and then, the more the longer they wait for a CPU.
    recorder.onStep =
        running -> {
          if (running.statistics().get(EngineFigure.THREADS_SKIPPED) == 1) {
            skipped.countDown();
          }
        };
    recorder.run(
        config(),
        () -> {
          for (int i = 0; i < 100 && call("expected_signals") < 5; i++) {
            call("wake_waiter", 20); // those sent to one that is busy are one
          }
          burnUntil(sampled);
          assertTrue(skipped.await(5, TimeUnit.MINUTES), "it is never said");
        });
    int waiter = call("masked_tid");
    call("end_waiter", 0);
    assertEquals(0, call("strange_signals"));
    assertTrue(call("expected_signals") >= 5);
    assertTrue(recorder.samples.stream().noneMatch(sample -> sample.tid() == waiter));
  }

  /**
   * A parent that blocks all signals hands its mask down to every thread of the JVM, those that end
   * while they are looked at included.
   */
  @ParameterizedTest
  @MethodSource("stackweave.engine.EngineJvm#newest")
  void whereNoThreadTakesASignalTheEngineSaysSo(Jdk jdk) throws Exception {
    EngineJvm jvm = new EngineJvm(directory);
    EngineJvm.Result result =
        jvm.run(jdk, List.of(program.toString()), "1000", "100", "-4", "TIMER");
    String refusal = result.line("refusal");
    assertTrue(refusal.startsWith("SIGNAL_BLOCKED timer: all "), result.output());
    assertTrue(refusal.contains("an empty signal mask lifts it"), refusal);
    assertEquals("done", result.line("application"), result.output());
  }

  private static EngineConfig config() {
    return new EngineConfig(MILLISECOND, EngineConfig.MAX_STACK_BYTES, EngineKind.TIMER);
  }

  /**
   * Others are sampled beside: on a busy machine it takes a while until it is known that they may.
   */
  private static void burnUntil(CountDownLatch sampled) throws InterruptedException {
    long end = System.nanoTime() + 300_000 * MILLISECOND;
    while (sampled.getCount() > 0) {
      Burner.start("beside", 50 * MILLISECOND).join();
      assertTrue(System.nanoTime() < end, "nothing is sampled");
    }
  }
}
