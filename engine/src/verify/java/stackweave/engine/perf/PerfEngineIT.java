package stackweave.engine.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import stackweave.engine.Burner;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineFigure;
import stackweave.engine.EngineStatistics;
import stackweave.engine.Recorder;
import stackweave.engine.SampleEngine;
import stackweave.engine.choice.EngineChooser;
import stackweave.jfr.control.EngineKind;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.ProcessMemory;
import stackweave.linux.SystemCalls;
import stackweave.testing.ByChance;
import stackweave.testing.Gcc;
import stackweave.testing.Promise;
import stackweave.unwind.Registers;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.snapshot.OlderCopy;
import stackweave.unwind.snapshot.StackSnapshot;

/** The engine at work on this JVM: what it samples, against what the kernel and the CPU say. */
class PerfEngineIT extends PerfEngineRuns {
  private static final long PLANTED = 0x5ca1ab1e00000000L;
  private static final int ENOUGH = 60;

  @TempDir static Path directory;

  @ByChance
  @ParameterizedTest
  @EnumSource
  void threadsHaveSamplesByTheirShareOfTheCpu(EngineKind kind) throws Exception {
    Burner longer = new Burner("longer", Long.MAX_VALUE);
    Burner shorter = new Burner("shorter", Long.MAX_VALUE);
    long[] since = {0};
    long[] before = {0};
    Recorder recorder = new Recorder();
    recorder.run(
        every(2 * MILLISECOND, kind),
        () -> {
          longer.start();
          shorter.start();
          recorder.awaitSample(longer);
          recorder.awaitSample(shorter);
          since[0] = System.nanoTime();
          before[0] = longer.used + shorter.used;
          longer.endAfter(900 * MILLISECOND);
          shorter.endAfter(300 * MILLISECOND);
          longer.join();
          shorter.join();
        });

    assertEquals(kind, recorder.choice.engine().orElseThrow().description().kind());
    long ofLonger = recorder.covered(longer, since[0]);
    long ofBoth = ofLonger + recorder.covered(shorter, since[0]);
    // The kernel lets siblings that take turns on a CPU go on with each other's timers.
    Promise.share(
        kind + " samples of the longer one",
        0.75,
        0.15,
        ofLonger / (2 * MILLISECOND),
        ofBoth / (2 * MILLISECOND));
    long used = longer.used + shorter.used - before[0];
    long lost = recorder.statistics.get(EngineFigure.LOST) * 2 * MILLISECOND;
    assertShare(0, 1.05, ofBoth, used, "covered " + recorder.statistics);
    assertShare(
        0.8,
        3,
        ofBoth + lost + longer.stolen + shorter.stolen,
        used,
        "with what was lost or stolen");
    EngineStatistics statistics = recorder.statistics;
    assertEquals(recorder.samples.size(), statistics.get(EngineFigure.SAMPLES));
    long weights = recorder.samples.stream().mapToLong(Recorder.Sample::weight).sum();
    assertEquals(weights, statistics.get(EngineFigure.CPU_COVERED));
    // Of CPUs' events each has a period of its own; with timers, a sample of a thread's youth
    // stands for a tick, or for what was used.
    assertTrue(kind.samplesEvents() ? weights % (2 * MILLISECOND) == 0 : weights > 0, "" + weights);
    assertShare(
        0.85,
        1.1,
        statistics.get(EngineFigure.CPU_COUNTED),
        statistics.get(EngineFigure.CPU_USED),
        "counted");
  }

  /** Of threads that end before an interval has passed as many samples as their CPU time owes. */
  @ByChance
  @Test
  void threadsShorterThanTheIntervalAreSampled() throws Exception {
    assertShortThreadsAreCovered();
  }

  /** The registers by DWARF number, the pc and the stack, against what the loop has put there. */
  @ParameterizedTest
  @EnumSource
  void registersAndStackAreThoseOfTheInterruptedInstruction(EngineKind kind) throws Exception {
    assumeTrue(SystemCalls.current().orElseThrow() == SystemCalls.X86_64, "the loop is x86-64");
    try (NativeLibrary library = NativeLibrary.getInstance(planted("planted-" + kind).toString());
        NativeBuffer stop = NativeBuffer.allocate(8)) {
      long loop = Pointer.nativeValue(library.getGlobalVariableAddress("planted_loop"));
      long end = Pointer.nativeValue(library.getGlobalVariableAddress("planted_end"));
      Function spin = library.getFunction("planted_spin");
      AtomicInteger inside = new AtomicInteger();
      List<String> wrong = new ArrayList<>();
      Recorder recorder = new Recorder();
      recorder.onSample =
          snapshot -> {
            long pc = snapshot.registers().pc();
            if (pc >= loop && pc < end) {
              inside.incrementAndGet();
              compare(snapshot, stop.address(), wrong);
            }
          };
      Thread spinner = new Thread(() -> spin.invoke(new Object[] {new Pointer(stop.address())}));
      recorder.run(
          every(2 * MILLISECOND, kind),
          () -> {
            spinner.start();
            awaitSamples(inside);
            stop.bytes().putLong(0, 1);
            spinner.join();
          });

      assertTrue(inside.get() >= ENOUGH, "samples in the loop: " + inside);
      assertEquals(List.of(), wrong);
    }
  }

  /** While the loop spins, no frame below it changes: copy and live memory must be the same. */
  @ParameterizedTest
  @EnumSource(
      value = EngineKind.class,
      names = {"PERF", "TIMER", "PERF_THREAD"})
  void theCopyIsTheStackToItsEnd(EngineKind kind) throws Exception {
    assumeTrue(SystemCalls.current().orElseThrow() == SystemCalls.X86_64, "the loop is x86-64");
    try (NativeLibrary library =
            NativeLibrary.getInstance(planted("planted-copy-" + kind).toString());
        NativeBuffer stop = NativeBuffer.allocate(8);
        ProcessMemory memory = new ProcessMemory()) {
      long loop = Pointer.nativeValue(library.getGlobalVariableAddress("planted_loop"));
      long end = Pointer.nativeValue(library.getGlobalVariableAddress("planted_end"));
      Function spin = library.getFunction("planted_spin");
      byte[] live = new byte[EngineConfig.MAX_STACK_BYTES];
      AtomicLong stackEnd = new AtomicLong();
      AtomicInteger inside = new AtomicInteger();
      List<String> wrong = new ArrayList<>();
      Recorder recorder = new Recorder();
      recorder.onSample =
          snapshot -> {
            long pc = snapshot.registers().pc();
            if (pc >= loop && pc < end) {
              inside.incrementAndGet();
              compareLive(snapshot, stackEnd.get(), memory, live, wrong);
            }
          };
      Thread spinner =
          new Thread(
              () -> {
                stackEnd.set(library.getFunction("stack_end").invokeLong(new Object[0]));
                deep(100, () -> spin.invoke(new Object[] {new Pointer(stop.address())}));
              });
      recorder.run(
          every(MILLISECOND, kind),
          () -> {
            spinner.start();
            awaitSamples(inside);
            // Once the thread has left the loop its stack can't be compared: no sample from here on
            // is looked at, and the last one has been when its turn on this monitor is over.
            recorder.onSample = snapshot -> {};
            recorder.settle();
            stop.bytes().putLong(0, 1);
            spinner.join();
          });

      assertTrue(inside.get() >= ENOUGH, "samples in the loop: " + inside);
      assertEquals(List.of(), wrong);
    }
  }

  /** Nobody drains until it has ended: what is sampled by CPU has its name from the kernel. */
  @Test
  void theNameOfAThreadThatHasEndedIsKnown() throws Exception {
    Recorder recorder = new Recorder();
    recorder.deaf = true;
    Burner gone = new Burner("gone", 100 * MILLISECOND);
    recorder.run(
        every(MILLISECOND, EngineKind.PERF),
        () -> {
          gone.start();
          gone.join();
        });
    assertTrue(
        recorder.renames.stream()
            .anyMatch(rename -> rename.tid() == gone.tid && rename.comm().equals("gone")),
        () -> recorder.renames.toString());
  }

  /** A child that was forked and does not exec, and one that was started by the JDK. */
  @ParameterizedTest
  @EnumSource(
      value = PerfAttr.Features.class,
      names = {"LOST_COUNT", "NONE"})
  void childProcessesAreNotSampled(PerfAttr.Features newest) throws Exception {
    try (NativeLibrary library =
        NativeLibrary.getInstance(planted("planted-child-" + newest).toString())) {
      Recorder recorder = new Recorder();
      recorder.newestFeatures = newest;
      int[] child = {0};
      recorder.run(
          every(2 * MILLISECOND, null),
          () -> {
            child[0] = library.getFunction("busy_child").invokeInt(new Object[] {300});
            Process busy =
                new ProcessBuilder("sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done")
                    .start();
            assertTrue(busy.waitFor(5, TimeUnit.MINUTES));
          });

      assertTrue(recorder.samples.stream().noneMatch(s -> s.tid() == child[0]));
      assertFalse(recorder.started.containsKey(child[0]));
      if (newest == PerfAttr.Features.NONE) {
        assertTrue(
            recorder.statistics.get(EngineFigure.FOREIGN_SAMPLES) > 5,
            recorder.statistics.toString());
        assertTrue(recorder.note.contains("child processes inherit"), recorder.note);
      } else {
        assertEquals(0, recorder.statistics.get(EngineFigure.FOREIGN_SAMPLES));
        assertFalse(recorder.note.contains("child processes"), recorder.note);
      }
    }
  }

  /**
   * Nobody drains: what fits stays, the rest is counted, and the sum is what the kernel counted.
   */
  @ByChance
  @Test
  void whatDoesNotFitIsCounted() throws Exception {
    Recorder recorder = new Recorder();
    Burner burner = null;
    // 700 samples; two rings hold 512 of them, one 256. More, where fewer ticks are delivered.
    for (int millis = 700; millis < 30_000 && !hasLost(recorder); millis *= 3) {
      recorder = new Recorder();
      recorder.deaf = true;
      Burner unheard = new Burner("unheard", millis * MILLISECOND);
      recorder.run(
          every(MILLISECOND, null),
          () -> {
            unheard.start();
            unheard.join();
          });
      burner = unheard;
    }

    EngineStatistics statistics = recorder.statistics;
    assertTrue(hasLost(recorder), statistics.toString());
    long stated =
        (statistics.get(EngineFigure.SAMPLES) + statistics.get(EngineFigure.LOST)) * MILLISECOND;
    long counted = statistics.get(EngineFigure.CPU_COUNTED);
    assertShare(0, 1.05, stated, counted, "samples and losses");
    assertShare(0.8, 3, stated + burner.stolen, counted, "samples, losses and what was stolen");
  }

  /** A thread that reads zeroes is in the kernel nearly always. */
  @ByChance
  @ParameterizedTest
  @EnumSource
  void timeInTheKernelIsSampledOrAtLeastCounted(EngineKind kind) throws Exception {
    Recorder recorder =
        Recorder.record(
            every(2 * MILLISECOND, kind),
            () -> {
              int zero = Libc.open("/dev/zero", Libc.O_RDONLY | Libc.O_CLOEXEC, 0);
              try (NativeBuffer block = NativeBuffer.allocate(1 << 20);
                  NativeBuffer time = NativeBuffer.allocate(16)) {
                long end = Burner.threadCpu(time) + 400 * MILLISECOND;
                while (Burner.threadCpu(time) < end) {
                  assertEquals(1 << 20, Libc.read(zero, block.address(), 1 << 20));
                }
              } finally {
                Libc.close(zero);
              }
            });

    EngineStatistics statistics = recorder.statistics;
    double covered =
        (double) statistics.get(EngineFigure.CPU_COVERED)
            / statistics.get(EngineFigure.CPU_COUNTED);
    if (kind == EngineKind.PERF || kind == EngineKind.PERF_THREAD) {
      assertTrue(covered > 0.7, statistics.toString());
      assertTrue(recorder.samples.stream().filter(s -> s.kernelFrames() > 2).count() > 10);
    } else if (kind == EngineKind.TIMER) {
      assertShare(
          0.6,
          1.05,
          statistics.get(EngineFigure.CPU_COVERED),
          statistics.get(EngineFigure.CPU_USED),
          "covered");
      assertTrue(recorder.samples.stream().allMatch(s -> s.kernelFrames() == 0));
    } else {
      assertTrue(covered < 0.6, statistics.toString());
      assertTrue(recorder.samples.stream().allMatch(s -> s.kernelFrames() == 0));
    }
  }

  @Test
  void theDrainThreadIsNotSampled() throws Exception {
    int[] tid = {0};
    Recorder recorder = new Recorder();
    long[] sum = {0};
    recorder.onSample =
        snapshot -> {
          tid[0] = SystemCalls.current().orElseThrow().gettid();
          for (int i = 0; i < 200_000; i++) {
            sum[0] = sum[0] * 31 + i;
          }
        };
    recorder.run(every(MILLISECOND, null), () -> Burner.start("beside", 300 * MILLISECOND).join());

    assertTrue(tid[0] != 0 && recorder.samples.size() > 10);
    assertTrue(recorder.samples.stream().noneMatch(sample -> sample.tid() == tid[0]));
  }

  /**
   * The rule of the hot path: what a sample costs is time, never garbage. So of some spans of 50
   * samples the quietest allocates nothing at all. In others a thread may have been started, or
   * have come into doubt for the first time; for each there is something to note, once.
   */
  @ParameterizedTest
  @EnumSource(
      value = EngineKind.class,
      names = {"PERF", "TIMER", "PERF_THREAD"})
  void aSampleAllocatesNothing(EngineKind kind) throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    Ignoring ignoring = new Ignoring();
    AtomicBoolean drained = new AtomicBoolean();
    long[] allocated = new long[8];
    Throwable[] failure = {null};
    Thread drain =
        new Thread(
            () -> {
              try (SampleEngine engine =
                      EngineChooser.start(every(MILLISECOND, kind)).engine().orElseThrow();
                  ProcessMemory memory = new ProcessMemory();
                  NativeBuffer word = NativeBuffer.allocate(8)) {
                // The first span is for what is loaded at its first use.
                for (int span = -1; span < allocated.length; span++) {
                  long before = threads.getCurrentThreadAllocatedBytes();
                  int end = ignoring.samples + 50;
                  while (ignoring.samples < end) {
                    engine.await(10);
                    engine.drain(Long.MAX_VALUE, ignoring);
                    memory.readLong(word.address());
                  }
                  long after = threads.getCurrentThreadAllocatedBytes();
                  allocated[Math.max(0, span)] = after - before;
                }
              } catch (Throwable e) {
                failure[0] = e;
              } finally {
                drained.set(true);
              }
            });
    // As long as the drain needs: on a busy machine it may take seconds until it begins.
    Thread beside =
        new Thread(
            () -> {
              while (!drained.get()) {
                Math.sqrt(allocated[0]);
              }
            },
            "beside");
    long began = System.nanoTime();
    beside.start();
    drain.start();
    drain.join();
    beside.join();

    assertNull(failure[0]);
    String bytes = Arrays.toString(allocated) + " bytes";
    assertEquals(0, Arrays.stream(allocated).min().orElseThrow(), bytes);
    // Every two seconds the CPUs of all threads are read.
    long looks = 1 + (System.nanoTime() - began) / (2_000 * MILLISECOND);
    long most = 256L * Thread.getAllStackTraces().size() + 4096 * looks;
    // Where a deep stack is met, its older part gets a buffer, once.
    boolean isDeep = Arrays.stream(allocated).max().orElseThrow() >= OlderCopy.MOST_BYTES;
    long once = isDeep ? OlderCopy.MOST_BYTES : 0;
    assertTrue(Arrays.stream(allocated).sum() - once < most, bytes);
  }

  @ParameterizedTest
  @EnumSource(
      value = EngineKind.class,
      names = {"PERF", "TIMER", "PERF_THREAD"})
  void wakeEndsTheWaitAndIsHarmlessAfterClose(EngineKind kind) throws Exception {
    Thread drain =
        new Thread(
            () -> {
              SampleEngine engine =
                  EngineChooser.start(every(10_000 * MILLISECOND, kind)).engine().orElseThrow();
              Thread waker =
                  new Thread(
                      () -> {
                        pause(50);
                        engine.wake();
                      });
              long start = System.nanoTime();
              waker.start();
              assertTrue(engine.await(120_000));
              long waited = (System.nanoTime() - start) / MILLISECOND;
              assertTrue(waited >= 40 && waited < 110_000, "waited " + waited);
              assertFalse(engine.await(1), "a wake-up counts once");
              engine.close();
              engine.close();
              engine.wake();
              assertFalse(engine.await(1));
              assertEquals(0, engine.drain(Long.MAX_VALUE, new Recorder()));
            });
    Throwable[] failure = {null};
    drain.setUncaughtExceptionHandler((thread, e) -> failure[0] = e);
    drain.start();
    drain.join();
    if (failure[0] != null) {
      throw new AssertionError(failure[0]);
    }
  }

  /** On a loaded machine the loop may have to wait for its turn. */
  private static void awaitSamples(AtomicInteger count) {
    for (int i = 0; i < 30_000 && count.get() < ENOUGH; i++) {
      pause(10);
    }
  }

  private static void compare(StackSnapshot snapshot, long argument, List<String> wrong) {
    Registers registers = snapshot.registers();
    for (int i = 0; i < 16; i++) {
      long expected = i == 5 ? argument : PLANTED + i;
      if (i != 7 && (registers.get(i) != expected || !registers.isKnown(i))) {
        wrong.add("register " + i + ": " + Long.toHexString(registers.get(i)));
      }
    }
    try {
      if (snapshot.readLong(registers.sp()) != PLANTED + 0x77) {
        wrong.add("word at sp: " + Long.toHexString(snapshot.readLong(registers.sp())));
      }
    } catch (UnreadableMemoryException e) {
      wrong.add("word at sp: " + e.getMessage());
    }
  }

  private static void compareLive(
      StackSnapshot snapshot,
      long stackEnd,
      ProcessMemory memory,
      byte[] live,
      List<String> wrong) {
    // Of the last 8 KiB the C library keeps what is no stack: the thread's descriptor and its TLS.
    long descriptor = stackEnd - 8192;
    int length = (int) Math.min(snapshot.stackLength(), descriptor - snapshot.stackAddress());
    try {
      memory.read(snapshot.stackAddress(), live, 0, length);
      int at = Arrays.mismatch(live, 0, length, snapshot.stackBytes(), 0, length);
      if (at >= 0 || length < 4096) {
        wrong.add("copy of " + length + " bytes differs at " + at);
      }
    } catch (UnreadableMemoryException e) {
      wrong.add("copy of " + length + " bytes, live " + e.getMessage());
    }
  }

  private static boolean hasLost(Recorder recorder) {
    return recorder.statistics != null && recorder.statistics.get(EngineFigure.LOST) > 100;
  }

  private static Path planted(String name) throws Exception {
    // A name of its own for each test: a library that is loaded already is not mapped again.
    return Gcc.compile(
        directory, "planted.c", name + ".so", "-shared", "-fPIC", "-Wl,--build-id=sha1");
  }
}
