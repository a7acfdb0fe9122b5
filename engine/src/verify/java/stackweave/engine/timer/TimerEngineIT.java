package stackweave.engine.timer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import stackweave.engine.Burner;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineFigure;
import stackweave.engine.EngineRefusal;
import stackweave.engine.EngineSink;
import stackweave.engine.Recorder;
import stackweave.engine.SampleEngine;
import stackweave.engine.SignalTargets;
import stackweave.engine.ThreadStarts;
import stackweave.engine.choice.EngineChoice;
import stackweave.engine.choice.EngineChooser;
import stackweave.engine.timer.handler.HandlerCode;
import stackweave.engine.timer.threads.CpuTimers;
import stackweave.jfr.control.SamplingSettings;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;
import stackweave.testing.ByChance;
import stackweave.unwind.snapshot.StackSnapshot;

/** What is the timer engine's own; what all engines have to do is in PerfEngineIT. */
class TimerEngineIT extends TimerEngineRuns {
  private static final int SI_QUEUE = -1;
  private static final int OTHERS = 3;
  private static final int OWN = 2;
  private static final int DEFAULT = 0;

  @Test
  void signalsOfOthersReachTheHandlerBeforeUs() throws Exception {
    call("install", TAKEN);
    with(
        every(MILLISECOND),
        TAKEN,
        engine -> {
          assertEquals(TAKEN, engine.signal());
          assertEquals(OTHERS, call("disposition", TAKEN));
          Recorder recorder = new Recorder();
          Burner burner = Burner.start("beside", 1_000 * MILLISECOND);
          while (burner.isAlive()) {
            engine.await(5);
            engine.drain(Long.MAX_VALUE, recorder);
          }
          assertEquals(0, call("handled"), "our own signals went to it");
          assertEquals(0, call("send_kill", TAKEN));
          assertEquals(1, call("handled"));
          assertEquals(0, call("send_value", TAKEN, 4711L));
          assertEquals(2, call("handled"));
          assertEquals(SI_QUEUE, call("code"));
          assertEquals(4711, signals.getFunction("value").invokeLong(new Object[0]));
          assertTrue(recorder.samples.size() > 5, "samples: " + recorder.samples.size());
          assertEquals(2, engine.statistics().get(EngineFigure.FOREIGN_SIGNALS));
        });
    assertEquals(OWN, call("disposition", TAKEN));
  }

  /** What was read of a thread is forgotten at its end. */
  @Test
  void theEndOfAThreadIsToldAfterItsSamples() throws Exception {
    with(
        every(MILLISECOND),
        0,
        engine -> {
          Burner burner = Burner.start("ends", Long.MAX_VALUE);
          List<String> told = new ArrayList<>();
          EngineSink sink =
              new EngineSink() {
                @Override
                public void sample(StackSnapshot snapshot) {
                  if (snapshot.tid() == burner.tid) {
                    told.add("sample");
                    end();
                  }
                }

                /** Takes more samples, and longer than until threads are listed again. */
                private void end() {
                  if (burner.isAlive()) {
                    try {
                      burner.endAfter(300 * MILLISECOND);
                      burner.join();
                    } catch (InterruptedException e) {
                      throw new IllegalStateException(e);
                    }
                  }
                }

                @Override
                public void exited(long timeNanos, int tid) {
                  if (tid == burner.tid) {
                    told.add("exited");
                  }
                }
              };
          for (int i = 0; i < 1_000 && !told.contains("exited"); i++) {
            engine.await(5);
            engine.drain(Long.MAX_VALUE, sink);
          }
          engine.drain(Long.MAX_VALUE, sink);
          assertTrue(told.size() > 5, told::toString);
          assertEquals(told.size() - 1, told.indexOf("exited"), told::toString);
        });
  }

  /** As the kernel has them: a sample a minute, and the first within a minute. */
  @Test
  void theLongestIntervalIsAMinute() throws Exception {
    long minute = SamplingSettings.MAX_INTERVAL_NANOS;
    with(
        every(minute + 1),
        0,
        engine -> {
          assertEquals(minute, engine.description().intervalNanos());
          assertEquals(minute, engine.description().reachedIntervalNanos());
          int looked = 0;
          SystemCalls calls = SystemCalls.current().orElseThrow();
          try (NativeBuffer spec = NativeBuffer.allocate(32)) {
            for (int timer : timers(engine.signal())) {
              assertEquals(0, calls.timerGettime(timer, spec.address()));
              assertEquals(60, spec.bytes().getLong(0), "seconds of the interval");
              assertEquals(0, spec.bytes().getLong(8));
              long first = spec.bytes().getLong(16) * 1_000_000_000L + spec.bytes().getLong(24);
              assertTrue(first > 0 && first <= minute, "first: " + first);
              looked++;
            }
          }
          assertTrue(looked > 3, "timers: " + looked);
        });
  }

  @Test
  void whatIsReachedIsTheTickWhereThatIsLonger() throws Exception {
    long tick = CpuTimers.tickNanos();
    with(
        every(SamplingSettings.MIN_INTERVAL_NANOS),
        0,
        engine ->
            assertEquals(Math.max(tick, 100_000), engine.description().reachedIntervalNanos()));
    with(every(tick), 0, engine -> assertEquals(tick, engine.description().reachedIntervalNanos()));
  }

  /**
   * Without us, such a signal would have ended the JVM; nobody is to die of a stray one of ours.
   */
  @Test
  void aSignalThatNobodyExpectsIsCountedAndDoesNoHarm() throws Exception {
    int[] number = {0};
    with(
        every(MILLISECOND),
        0,
        engine -> {
          number[0] = engine.signal();
          assertTrue(number[0] >= 36 && number[0] <= 63, "signal " + number[0]);
          assertEquals(OTHERS, call("disposition", number[0]));
          assertEquals(0, call("send_kill", number[0]));
          assertEquals(0, call("send_value", number[0], 1L));
          assertEquals(2, engine.statistics().get(EngineFigure.FOREIGN_SIGNALS));
          assertEquals("", engine.note());
        });
    assertEquals(DEFAULT, call("disposition", number[0]));
  }

  @Test
  void aSignalTakenOverIsSaidAndLeftToItsNewOwner() throws Exception {
    int[] number = {0};
    with(
        every(MILLISECOND),
        0,
        engine -> {
          number[0] = engine.signal();
          call("install", number[0]);
          assertTrue(engine.note().contains("taken over"), engine.note());
        });
    assertEquals(OWN, call("disposition", number[0]));
    call("to_default", number[0]);
  }

  /** Starting, and finding threads that have used much CPU time, disturb no blocking call. */
  @Test
  void blockingCallsAreNotInterrupted() throws Exception {
    int[] interrupted = new int[6];
    List<Thread> threads = new ArrayList<>();
    Recorder recorder =
        Recorder.record(
            every(MILLISECOND),
            () -> {
              for (int i = 0; i < interrupted.length; i++) {
                int number = i;
                Thread thread =
                    new Thread(() -> interrupted[number] = call("burn_and_block", 12, 12, 30));
                threads.add(thread);
                thread.start();
              }
              for (Thread thread : threads) {
                thread.join();
              }
            });
    for (int count : interrupted) {
      assertEquals(0, count);
    }
    assertTrue(recorder.statistics.get(EngineFigure.SAMPLES) > 10, recorder.statistics.toString());
  }

  @Test
  void oneEngineAtATime() throws Exception {
    with(
        every(MILLISECOND),
        0,
        engine -> {
          EngineChoice second = EngineChooser.start(every(MILLISECOND));
          assertEquals(EngineRefusal.Reason.IN_USE, second.refusals().get(0).reason());
          second.engine().ifPresent(SampleEngine::close);
        });
  }

  /** As when an agent was detached, and another one is attached: other classes, the same memory. */
  @Test
  void whatAnEarlierAgentLeftIsUsedAgain() throws Exception {
    with(every(MILLISECOND), 0, engine -> {});
    long handlers = handlers();
    URL[] path = {
      TimerEngine.class.getProtectionDomain().getCodeSource().getLocation(),
      TimerEngineRuns.class.getProtectionDomain().getCodeSource().getLocation()
    };
    try (URLClassLoader others = new ReloadingLoader(path)) {
      Class<?> again = others.loadClass(TimerEngineRuns.class.getName());
      assertNotSame(TimerEngineRuns.class, again);
      var run = again.getDeclaredMethod("sampleOnce");
      run.setAccessible(true);
      assertTrue((int) run.invoke(null) > 5);
      assertEquals(handlers, handlers());
    }
    assertTrue(sampleOnce() > 5);
  }

  @Test
  void theCodeIsNeverWritable() throws Exception {
    with(
        every(MILLISECOND),
        0,
        engine -> {
          List<String> code =
              Files.readAllLines(Path.of("/proc/self/maps")).stream()
                  .filter(line -> line.contains("memfd:stackweave-handler"))
                  .toList();
          assertEquals(1, code.size(), code.toString());
          assertTrue(code.get(0).contains(" r-xp "), code.toString());
        });
  }

  /** Tells of one thread, once. */
  private static final class Told implements SignalTargets, ThreadStarts {
    private int tid;

    @Override
    public ThreadStarts threadStarts() {
      return this;
    }

    @Override
    public boolean take(Visitor visitor) {
      if (tid != 0) {
        visitor.started(tid, 0, 0);
        tid = 0;
      }
      return true;
    }
  }

  /** A thread that is told of is sampled from there on, by what it has used before too. */
  @ByChance
  @Test
  void aThreadThatIsToldOfNeedNotBeFound() throws Exception {
    Told targets = new Told();
    with(
        every(2 * MILLISECOND),
        0,
        targets,
        engine -> {
          Recorder recorder = new Recorder();
          Burner burner = Burner.start("told", 1_000 * MILLISECOND);
          while (burner.tid == 0) {
            Thread.onSpinWait();
          }
          targets.tid = burner.tid;
          // Where it waits for a CPU, one look at its mask does not do.
          while (burner.isAlive() && !recorder.started.containsKey(burner.tid)) {
            engine.await(1);
            engine.drain(Long.MAX_VALUE, recorder);
          }
          assertTrue(recorder.started.containsKey(burner.tid));
          while (burner.isAlive()) {
            engine.await(5);
            engine.drain(Long.MAX_VALUE, recorder);
          }
          engine.drain(Long.MAX_VALUE, recorder);
          long covered =
              recorder.samples.stream()
                  .filter(sample -> sample.tid() == burner.tid)
                  .mapToLong(Recorder.Sample::weight)
                  .sum();
          assertTrue(
              covered + burner.stolen > 0.4 * burner.used && covered < 1.1 * burner.used,
              covered + " of " + burner.used);
        });
  }

  /** A stack deeper than perf's 64 KiB is copied whole. */
  @Test
  void deepStacksAreCopied() throws Exception {
    int[] longest = {0};
    Recorder recorder = new Recorder();
    recorder.onSample = snapshot -> longest[0] = Math.max(longest[0], snapshot.stackLength());
    recorder.run(
        every(MILLISECOND),
        () -> {
          Thread thread = new Thread(null, () -> descend(3_000), "deep", 4 << 20);
          thread.start();
          thread.join();
        });
    assertTrue(longest[0] > StackSnapshot.MAX_STACK_BYTES, "longest copy: " + longest[0]);
    assertFalse(longest[0] > EngineConfig.MAX_STACK_BYTES);
  }

  private static long handlers() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/maps")).stream()
        .filter(line -> line.contains("memfd:" + HandlerCode.NAME))
        .count();
  }
}
