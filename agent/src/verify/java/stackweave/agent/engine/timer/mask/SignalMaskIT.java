package stackweave.agent.engine.timer.mask;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.engine.Burner;
import stackweave.agent.engine.EngineConfig;
import stackweave.agent.engine.EngineFigure;
import stackweave.agent.engine.EngineJvm;
import stackweave.agent.engine.EngineStatistics;
import stackweave.agent.engine.Recorder;
import stackweave.agent.linux.MemoryAccess;
import stackweave.agent.linux.SystemCalls;
import stackweave.agent.linux.Tasks;
import stackweave.jfr.control.EngineKind;
import stackweave.testing.Jdk;

/** Threads that can't take our signal never get it, and are said. */
@ResourceLock("TimerEngine") // one runs in a process
class SignalMaskIT extends MaskedThreads {
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
          call("wake_waiter", 20);
          burnUntil(sampled);
          assertTrue(skipped.await(5, TimeUnit.MINUTES), "it is never said");
        });
    int waiter = call("masked_tid");
    call("end_waiter", 0);
    assertEquals(0, call("strange_signals"));
    assertTrue(call("expected_signals") >= 5); // those sent to one that is busy are one
    assertTrue(recorder.samples.stream().noneMatch(sample -> sample.tid() == waiter));
  }

  /** Its mask is open, but only until the call ends. */
  @ParameterizedTest
  @EnumSource
  void aMaskThatACallHasOpenedIsNotTakenForTheThreads(MaskedCall masked) throws Exception {
    int refused = call("start_sleeper", masked.ordinal());
    assumeTrue(refused == 0, masked + " is not here: errno " + refused);
    try (SignalMasks looks =
        new SignalMasks(
            SystemCalls.current().orElseThrow().architecture(), 63, MemoryAccess.AUTO)) {
      int tid = call("masked_tid");
      String status = Files.readString(Path.of("/proc/self/task/" + tid + "/status"));
      assertTrue(status.contains("SigBlk:\t0000000000000000"), status);
      PassedOver passedOver = new PassedOver(looks);
      passedOver.add(0, tid, SignalMasks.Answer.UNSURE, false, false);
      for (int i = 0; i < 50; i++) {
        assertEquals(SignalMasks.Answer.UNSURE, passedOver.lookAnew(tid, false));
        assertFalse(passedOver.look(0, tid, false), "it would get a timer");
      }
    } finally {
      call("end_sleeper", 0);
    }
  }

  /** Threads that sleep, and that run, take signals; a look or two are enough. */
  @Test
  void aThreadThatBlocksNothingIsKnownAtOnce() throws Exception {
    Burner burner = Burner.start("burns", Long.MAX_VALUE);
    Thread sleeper = new Thread(LockSupport::park);
    sleeper.start();
    while (burner.tid == 0 || sleeper.getState() != Thread.State.WAITING) {
      Thread.sleep(1);
    }
    int sleeps = 0;
    try (SignalMasks looks =
        new SignalMasks(
            SystemCalls.current().orElseThrow().architecture(), 63, MemoryAccess.AUTO)) {
      PassedOver passedOver = new PassedOver(looks);
      passedOver.add(0, burner.tid, SignalMasks.Answer.UNSURE, false, false);
      // Where it waits for a CPU at each look, it needs five: three sights and two.
      boolean known = false;
      for (int i = 0; i < 10_000 && burner.isAlive() && !known; i++) {
        LockSupport.parkNanos(MILLISECOND);
        known = passedOver.look(0, burner.tid, false);
      }
      assertTrue(known, "one that only runs");
      for (int tid : Tasks.list()) {
        sleeps += passedOver.lookAnew(tid, false) == SignalMasks.Answer.TAKES ? 1 : 0;
      }
    }
    LockSupport.unpark(sleeper);
    burner.endAfter(0);
    burner.join();
    assertTrue(2 * sleeps > Tasks.list().length, sleeps + " threads");
  }

  /**
   * A parent that blocks all signals hands its mask down to every thread of the JVM, those that end
   * while they are looked at included.
   */
  @ParameterizedTest
  @MethodSource("stackweave.agent.engine.EngineJvm#newest")
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
