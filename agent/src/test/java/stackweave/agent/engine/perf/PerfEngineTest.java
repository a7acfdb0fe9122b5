package stackweave.agent.engine.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.agent.engine.Burner;
import stackweave.agent.engine.CpuSet;
import stackweave.agent.engine.EngineConfig;
import stackweave.agent.engine.EngineFigure;
import stackweave.agent.engine.EngineRefusedException;
import stackweave.agent.engine.EngineSink;
import stackweave.agent.engine.EngineStatistics;
import stackweave.agent.engine.Recorder;
import stackweave.agent.engine.SampleEngine;
import stackweave.agent.engine.choice.EngineChooser;
import stackweave.agent.linux.CpuTime;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.NativeBuffer;
import stackweave.agent.linux.SelfMemory;
import stackweave.agent.linux.SystemCalls;
import stackweave.agent.linux.Tasks;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SamplingSettings;
import stackweave.testing.Commands;
import stackweave.testing.Gcc;
import stackweave.unwind.Registers;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.snapshot.StackSnapshot;

/** The engine at work on this JVM: what it samples, against what the kernel and the CPU say. */
@Tag("slow")
public class PerfEngineTest {
  private static final long MILLISECOND = 1_000_000;
  private static final int ENOUGH = 60;
  private static final long PLANTED = 0x5ca1ab1e00000000L;

  @TempDir static Path directory;

  private static EngineConfig every(long nanos, EngineKind kind) {
    return new EngineConfig(nanos, EngineConfig.MAX_STACK_BYTES, kind);
  }

  @ParameterizedTest
  @EnumSource
  void threadsHaveSamplesByTheirShareOfTheCpu(EngineKind kind) throws Exception {
    Burner longer = new Burner("longer", 900 * MILLISECOND);
    Burner shorter = new Burner("shorter", 300 * MILLISECOND);
    Recorder recorder =
        Recorder.record(
            every(2 * MILLISECOND, kind),
            () -> {
              longer.start();
              shorter.start();
              longer.join();
              shorter.join();
            });

    assertEquals(kind, recorder.choice.engine().orElseThrow().kind());
    assertCovered(recorder, 2 * MILLISECOND, longer, shorter);
    EngineStatistics statistics = recorder.statistics;
    assertEquals(recorder.samples.size(), statistics.get(EngineFigure.SAMPLES));
    long weights = recorder.samples.stream().mapToLong(Recorder.Sample::weight).sum();
    assertEquals(weights, statistics.get(EngineFigure.CPU_COVERED));
    // With timers, a sample of a thread's youth stands for a tick, or for what was used.
    assertTrue(kind == EngineKind.TIMER || weights % (2 * MILLISECOND) == 0, "weights: " + weights);
    assertShare(
        0.85,
        1.1,
        statistics.get(EngineFigure.CPU_COUNTED),
        statistics.get(EngineFigure.CPU_USED),
        "counted");
  }

  /** The kernel takes it, and it is what the kernel is told. */
  @Test
  void theLongestIntervalIsAMinute() throws Exception {
    long minute = SamplingSettings.MAX_INTERVAL_NANOS;
    Burner burner = new Burner("minute", 300 * MILLISECOND);
    Recorder recorder =
        Recorder.record(
            every(minute, EngineKind.PERF),
            () -> {
              burner.start();
              burner.join();
            });
    assertEquals(EngineKind.PERF, recorder.choice.engine().orElseThrow().kind());
    assertEquals(minute, recorder.statistics.get(EngineFigure.INTERVAL));
    assertTrue(recorder.samples.size() <= 1, "samples: " + recorder.samples.size());
    try (NativeBuffer attr = NativeBuffer.allocate(PerfAttr.BYTES)) {
      PerfAttr.sampling(
          attr.bytes(),
          PerfAttr.Features.NONE,
          true,
          every(minute, null).intervalNanos(),
          8192,
          PerfRegisters.of(SystemCalls.current().orElseThrow().architecture()));
      assertEquals(minute, attr.bytes().getLong(16), "sample_period");
    }
  }

  /** Threads of one burst each: found by inheritance alone, with the stated hole at the start. */
  @Test
  void threadsStartedLaterAreSampled() throws Exception {
    List<Burner> burners = new ArrayList<>();
    Recorder recorder = new Recorder();
    recorder.run(
        every(MILLISECOND, null),
        () -> {
          for (int i = 0; i < 40; i++) {
            Burner burner = Burner.start("burst " + i, 20 * MILLISECOND);
            burners.add(burner);
            burner.join();
          }
          // A thread that is joined has still to leave the kernel's list.
          for (Burner burner : burners) {
            recorder.awaitExit(burner.tid);
          }
        });

    for (Burner burner : burners) {
      assertTrue(recorder.started.containsKey(burner.tid), burner.getName());
      assertTrue(recorder.exited.containsKey(burner.tid), burner.getName());
      assertTrue(
          recorder.renames.stream()
              .anyMatch(r -> r.tid() == burner.tid && r.comm().equals(burner.getName())),
          burner.getName());
    }
    long covered = burners.stream().mapToLong(b -> covered(recorder, b.tid)).sum();
    long lost = recorder.statistics.get(EngineFigure.LOST) * MILLISECOND;
    long stolen = burners.stream().mapToLong(b -> b.stolen).sum();
    long used = burners.stream().mapToLong(b -> b.used).sum();
    assertShare(0, 1.15, covered, used, "all");
    assertShare(0.7, 3, covered + lost + stolen, used, "all, with what was lost or stolen");
  }

  /**
   * Of threads that end before their first interval nothing would be seen, if they did not inherit
   * a shorter period. The first ones pass before that is in force. One that lives longer beside
   * them has no more than its share.
   */
  @ParameterizedTest
  @EnumSource(
      value = EngineKind.class,
      names = {"PERF", "PERF_USER"})
  void threadsShorterThanTheIntervalAreSampled(EngineKind kind) throws Exception {
    long interval = 10 * MILLISECOND;
    List<Burner> pool = new ArrayList<>();
    Burner beside = new Burner("beside", 600 * MILLISECOND);
    Recorder recorder =
        Recorder.record(
            every(interval, kind),
            () -> {
              runPool(60, new ArrayList<>());
              beside.start();
              runPool(400, pool);
              beside.join();
              pause(50);
            });

    EngineStatistics statistics = recorder.statistics;
    long used = pool.stream().mapToLong(burner -> burner.used).sum();
    long covered = pool.stream().mapToLong(burner -> covered(recorder, burner.tid)).sum();
    assertCoveredShort(statistics, covered, used, pool);
    assertShare(0.4, 1.6, covered(recorder, beside.tid), beside.used, "beside " + statistics);
    assertTrue(recorder.samples.stream().allMatch(sample -> sample.weight() % interval == 0));
    assertEquals(statistics.get(EngineFigure.SAMPLES), recorder.samples.size());
    assertTrue(
        statistics.get(EngineFigure.SURPLUS) > 2 * statistics.get(EngineFigure.SAMPLES),
        statistics.toString());
    assertShare(
        0.8,
        1.1,
        statistics.get(EngineFigure.CPU_COUNTED),
        statistics.get(EngineFigure.CPU_USED),
        "counted");
  }

  /**
   * A thread uses more than it can say of itself: to start the next one and to end takes time, on
   * some machines a millisecond. So what is too much is told by the process. Threads that all use
   * the same are all cut at the same point: up to half a short period each, of 1.3 ms at most.
   */
  private static void assertCoveredShort(
      EngineStatistics statistics, long covered, long used, List<Burner> burners) {
    double stolen = (double) burners.stream().mapToLong(b -> b.stolen).sum() / used;
    double missing = lossShare(statistics) + stolen;
    assertShare(0.7 - missing, 1.6, covered, used, "short " + statistics);
    assertShare(
        0.5 - missing,
        1.15,
        statistics.get(EngineFigure.CPU_COVERED),
        statistics.get(EngineFigure.CPU_USED),
        "all");
  }

  /** What the rings lost is stated: on a loaded machine it may be some. */
  private static double lossShare(EngineStatistics statistics) {
    return (double) statistics.get(EngineFigure.LOST)
        * statistics.get(EngineFigure.INTERVAL)
        / statistics.get(EngineFigure.CPU_USED);
  }

  /** Two at a time, of 5 ms each. */
  private static void runPool(int threads, List<Burner> burners) throws InterruptedException {
    Burner before = Burner.start("short", 5 * MILLISECOND);
    burners.add(before);
    for (int i = 1; i < threads; i++) {
      Burner next = Burner.start("short", 5 * MILLISECOND);
      burners.add(next);
      before.join();
      before = next;
    }
    before.join();
  }

  /** No thread that starts short ones lives long: each is an heir of the one before. */
  @Test
  void threadsThatStartTheNextBeforeTheyEndAreSampled() throws Exception {
    List<Burner> chain = new ArrayList<>();
    CountDownLatch end = new CountDownLatch(1);
    Recorder recorder =
        Recorder.record(
            every(10 * MILLISECOND, EngineKind.PERF),
            () -> {
              next(300, chain, end);
              await(end);
              pause(50);
            });

    List<Burner> later = chain.subList(60, chain.size());
    long used = later.stream().mapToLong(burner -> burner.used).sum();
    long covered = later.stream().mapToLong(burner -> covered(recorder, burner.tid)).sum();
    assertCoveredShort(recorder.statistics, covered, used, later);
    assertTrue(
        recorder.statistics.get(EngineFigure.FILE_DESCRIPTORS)
            < 300 * recorder.statistics.get(EngineFigure.CPUS),
        "not every thread needs events of its own: " + recorder.statistics);
  }

  private static void next(int left, List<Burner> chain, CountDownLatch end) {
    Burner burner =
        new Burner("link " + left, 5 * MILLISECOND) {
          @Override
          public void run() {
            super.run();
            if (left > 1) {
              next(left - 1, chain, end);
            } else {
              end.countDown();
            }
          }
        };
    chain.add(burner);
    burner.start();
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

  /** While the loop spins, no frame below it changes: copy and live memory must be the same. */
  @ParameterizedTest
  @EnumSource(
      value = EngineKind.class,
      names = {"PERF", "TIMER"})
  void theCopyIsTheStackToItsEnd(EngineKind kind) throws Exception {
    assumeTrue(SystemCalls.current().orElseThrow() == SystemCalls.X86_64, "the loop is x86-64");
    try (NativeLibrary library =
            NativeLibrary.getInstance(planted("planted-copy-" + kind).toString());
        NativeBuffer stop = NativeBuffer.allocate(8);
        SelfMemory memory = new SelfMemory()) {
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

  /** Calls from so many frames further in. */
  private static void deep(int frames, Runnable call) {
    if (frames > 0) {
      deep(frames - 1, call);
    } else {
      call.run();
    }
  }

  private static void compareLive(
      StackSnapshot snapshot, long stackEnd, SelfMemory memory, byte[] live, List<String> wrong) {
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

  @Test
  void aLibraryLoadedMeanwhileIsReportedWithItsBuildId() throws Exception {
    Path file = planted("planted-mapped");
    Recorder recorder =
        Recorder.record(
            every(10 * MILLISECOND, null),
            () -> NativeLibrary.getInstance(file.toString()).close());

    Recorder.Mapping mapping =
        recorder.mappings.stream()
            .filter(m -> m.path().equals(file.toString()))
            .findFirst()
            .orElseThrow();
    String notes = Commands.output(List.of("readelf", "-n", file.toString()));
    String expected = notes.replaceAll("(?s).*Build ID: ([0-9a-f]+).*", "$1");
    assertNotNull(mapping.buildId(), "this kernel reports no build ids");
    assertEquals(expected, HexFormat.of().formatHex(mapping.buildId()));
    assertTrue(mapping.length() > 0 && mapping.address() != 0);
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
        assertEquals("", recorder.note);
      }
    }
  }

  /** Threads that come when it has ended must not inherit any more: its events are closed. */
  @Test
  void itEndsBeforeThreadsTakeMoreMemoryOfTheKernelThanTheyMay() throws Exception {
    int cpus = CpuSet.ofProcess().length;
    int more = 200;
    Recorder recorder = new Recorder();
    int most = 5 * (recorder.budget.threads() + 20);
    recorder.budget = new PerfBudget(PerfBudget.estimate(most, cpus));
    CountDownLatch end = new CountDownLatch(1);
    long[] open = {0};
    recorder.run(
        every(10 * MILLISECOND, EngineKind.PERF),
        () -> {
          assertTrue(perfDescriptors() > cpus);
          for (int i = 0; i < most + more; i++) {
            Thread idle = new Thread(() -> await(end));
            idle.setDaemon(true);
            idle.start();
          }
          for (int i = 0; i < 30_000 && !recorder.ended; i++) {
            pause(10);
          }
          open[0] = perfDescriptors();
          end.countDown();
        });

    assertTrue(recorder.ended, recorder.statistics.toString());
    assertEquals(cpus, open[0], "the rings are still to be drained, and nothing is inherited");
    EngineStatistics statistics = recorder.statistics;
    assertEquals(
        PerfBudget.estimate(most, cpus), statistics.get(EngineFigure.KERNEL_MEMORY_BUDGET));
    assertTrue(
        statistics.get(EngineFigure.KERNEL_MEMORY)
            > statistics.get(EngineFigure.KERNEL_MEMORY_BUDGET) / 3,
        statistics.toString());
    assertThrows(
        EngineRefusedException.class,
        () -> recorder.budget.admit(EngineKind.PERF, cpus, System.nanoTime()));
  }

  private static long perfDescriptors() throws IOException {
    long found = 0;
    try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path file : open) {
        try {
          found += Files.readSymbolicLink(file).toString().contains("perf_event") ? 1 : 0;
        } catch (NoSuchFileException e) {
          // It was that of the directory.
        }
      }
    }
    return found;
  }

  @Test
  void recordsOfAllCpusComeInOneOrderOfTime() throws Exception {
    Recorder recorder =
        Recorder.record(
            every(MILLISECOND / 2, null),
            () -> {
              List<Burner> burners = new ArrayList<>();
              for (int i = 0; i < 100; i++) {
                burners.add(Burner.start("storm " + i, 8 * MILLISECOND));
              }
              for (Burner burner : burners) {
                burner.join();
              }
            });

    int inversions = 0;
    for (int i = 1; i < recorder.times.size(); i++) {
      inversions += recorder.times.get(i) < recorder.times.get(i - 1) ? 1 : 0;
    }
    assertTrue(recorder.times.size() > 300, "records: " + recorder.times.size());
    assertTrue(
        inversions <= recorder.statistics.get(EngineFigure.LATE), "inversions: " + inversions);
    // One that a CPU has begun to write when it was taken away, as virtual machines do.
    assertTrue(
        recorder.statistics.get(EngineFigure.LATE) <= 5 + recorder.times.size() / 1000, "late");
  }

  /** All have their events twice, and so has what they start: no one may be counted twice. */
  @Test
  void aThreadAttachedTwiceIsSampledOnce() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Burner early =
        new Burner("early", 200 * MILLISECOND) {
          @Override
          public void run() {
            await(go);
            super.run();
          }
        };
    early.start();
    Burner late = new Burner("late", 200 * MILLISECOND);
    Recorder recorder = new Recorder();
    recorder.twice = true;
    recorder.run(
        every(MILLISECOND, null),
        () -> {
          late.start();
          go.countDown();
          early.join();
          late.join();
          recorder.awaitExit(late.tid);
        });

    assertCovered(recorder, MILLISECOND, early, late);
    assertTrue(
        recorder.statistics.get(EngineFigure.DUPLICATES) > 20, recorder.statistics.toString());
    assertEquals(1, recorder.exitMessages.stream().filter(tid -> tid == late.tid).count());
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void pause(int millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Nobody drains: what fits stays, the rest is counted, and the sum is what the kernel counted.
   */
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

  private static boolean hasLost(Recorder recorder) {
    return recorder.statistics != null && recorder.statistics.get(EngineFigure.LOST) > 100;
  }

  /** A thread that reads zeroes is in the kernel nearly always. */
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
    if (kind == EngineKind.PERF) {
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

  /**
   * What user mode can't sample is stated: nearly all of it is the reads', whose CPU time the
   * thread measures itself. (The ticks of /proc/self/stat are far off on a busy machine.)
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 150_000})
  void theShareOfTheKernelIsStated(int userWork) throws Exception {
    long[] kernel = {0};
    long[] all = {0};
    long[] sum = {0};
    Recorder recorder =
        Recorder.record(
            every(2 * MILLISECOND, EngineKind.PERF_USER),
            () -> {
              int zero = Libc.open("/dev/zero", Libc.O_RDONLY | Libc.O_CLOEXEC, 0);
              try (CpuTime cpu = new CpuTime();
                  NativeBuffer block = NativeBuffer.allocate(1 << 20)) {
                all[0] = -cpu.ofProcess();
                long end = cpu.ofThread() + 1200 * MILLISECOND;
                for (long at = cpu.ofThread(); at < end; at = cpu.ofThread()) {
                  assertEquals(1 << 20, Libc.read(zero, block.address(), 1 << 20));
                  kernel[0] += cpu.ofThread() - at;
                  for (int i = 0; i < userWork; i++) {
                    sum[0] = sum[0] * 31 + i;
                  }
                }
                all[0] += cpu.ofProcess();
              } finally {
                Libc.close(zero);
              }
            });

    EngineStatistics statistics = recorder.statistics;
    double stated =
        (double) statistics.get(EngineFigure.CPU_KERNEL) / statistics.get(EngineFigure.CPU_COUNTED);
    double expected = (double) kernel[0] / all[0];
    String what = stated + ", the reads " + expected + " " + statistics;
    assertEquals(expected, stated, 0.1, what);
    assertTrue(userWork == 0 ? stated > 0.5 : stated < 0.9, what);
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
      names = {"PERF", "TIMER"})
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
                  SelfMemory memory = new SelfMemory();
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
    beside.start();
    drain.start();
    drain.join();
    beside.join();

    assertNull(failure[0]);
    String bytes = Arrays.toString(allocated) + " bytes";
    assertEquals(0, Arrays.stream(allocated).min().orElseThrow(), bytes);
    long most = 256L * Thread.getAllStackTraces().size() + 4096;
    assertTrue(Arrays.stream(allocated).sum() < most, bytes);
  }

  private static final class Ignoring implements EngineSink {
    private int samples;

    @Override
    public void sample(StackSnapshot snapshot) {
      samples++;
    }
  }

  @Test
  void nothingIsLeftBehindByStartAndStop() throws Exception {
    for (int i = 0; i < 5; i++) {
      Recorder.record(every(MILLISECOND, null), () -> {});
    }
    int fds = Tasks.openFileDescriptors();
    Set<String> threads = threadNames();
    threads.remove("drain");
    for (int i = 0; i < 50; i++) {
      EngineKind kind = EngineKind.values()[i % EngineKind.values().length];
      Recorder recorder =
          Recorder.record(every(MILLISECOND, kind), () -> TimeUnit.MILLISECONDS.sleep(5));
      assertTrue(recorder.choice.engine().isPresent());
      assertTrue(recorder.statistics.get(EngineFigure.THREADS) > 1);
    }

    int left = Tasks.openFileDescriptors(); // the JVM's own may have become fewer
    assertTrue(left <= fds, left + " descriptors, " + fds + " before");
    for (int i = 0; i < 3_000 && !threads.containsAll(threadNames()); i++) {
      // A thread that is joined has still to leave the kernel's list.
      pause(20);
    }
    assertTrue(threads.containsAll(threadNames()), () -> threads + " → " + threadNames());
    assertEquals(
        List.of(),
        Files.readAllLines(Path.of("/proc/self/maps")).stream()
            .filter(line -> line.contains("perf_event"))
            .toList());
  }

  private static Set<String> threadNames() {
    // Compiler threads come and go by themselves.
    return Arrays.stream(Tasks.list())
        .mapToObj(Tasks::comm)
        .filter(comm -> comm != null && !comm.contains("Compiler"))
        .collect(Collectors.toCollection(HashSet::new));
  }

  @ParameterizedTest
  @EnumSource(
      value = EngineKind.class,
      names = {"PERF", "TIMER"})
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

  private static Path planted(String name) throws Exception {
    // A name of its own for each test: a library that is loaded already is not mapped again.
    return Gcc.compile(
        directory, "planted.c", name + ".so", "-shared", "-fPIC", "-Wl,--build-id=sha1");
  }

  /**
   * Together the threads have the samples of their CPU time; each has its share of them only on the
   * average: the kernel lets siblings that take turns on a CPU go on with each other's timers.
   */
  private static void assertCovered(Recorder recorder, long interval, Burner... burners) {
    long covered = 0;
    long used = 0;
    long stolen = 0;
    for (Burner burner : burners) {
      long own = covered(recorder, burner.tid);
      stolen += burner.stolen;
      assertShare(
          0.4 - (double) burner.stolen / burner.used,
          1.6,
          own,
          burner.used,
          burner.getName() + " " + recorder.statistics);
      covered += own;
      used += burner.used;
    }
    assertShare(0, 1.05, covered, used, "covered " + recorder.statistics);
    // What the rings lost is stated: on a loaded machine it may be some.
    long lost = recorder.statistics.get(EngineFigure.LOST) * interval;
    assertShare(
        0.8, 3, covered + lost + stolen, used, "covered, lost or stolen " + recorder.statistics);
  }

  private static long covered(Recorder recorder, int tid) {
    return recorder.samples.stream()
        .filter(sample -> sample.tid() == tid)
        .mapToLong(Recorder.Sample::weight)
        .sum();
  }

  private static void assertShare(double least, double most, long part, long whole, String what) {
    double share = (double) part / whole;
    assertTrue(share >= least && share <= most, () -> what + ": " + part + " of " + whole);
  }
}
