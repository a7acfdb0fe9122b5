package stackweave.engine.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.cpu.PerfRegisters;
import stackweave.engine.Burner;
import stackweave.engine.CpuSet;
import stackweave.engine.EngineFigure;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.EngineStatistics;
import stackweave.engine.Recorder;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SamplingSettings;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.CpuTime;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;
import stackweave.linux.Tasks;
import stackweave.testing.ByChance;

/** The engine with many threads, for long, and at its limits. */
@Isolated("counts the events and the CPU time of its JVM")
class PerfEngineMoreIT extends PerfEngineRuns {
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
    assertEquals(EngineKind.PERF, recorder.choice.engine().orElseThrow().description().kind());
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
  @ByChance
  @Test
  void threadsStartedLaterAreSampled() throws Exception {
    List<Burner> burners = new ArrayList<>();
    Recorder recorder = new Recorder();
    recorder.run(
        every(MILLISECOND, EngineKind.PERF_THREAD),
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

  /** No thread that starts short ones lives long: each is an heir of the one before. */
  @ByChance
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
            <= recorder.statistics.get(EngineFigure.CPUS) + 6,
        "no thread needs one: " + recorder.statistics);
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
        every(10 * MILLISECOND, EngineKind.PERF_THREAD),
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
        () -> recorder.budget.admit(EngineKind.PERF_THREAD, cpus, System.nanoTime()));
  }

  @ByChance
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
  @ByChance
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
        every(MILLISECOND, EngineKind.PERF_THREAD),
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

  /**
   * What user mode can't sample is stated: nearly all of it is the reads', whose CPU time the
   * thread measures itself. (The ticks of /proc/self/stat are far off on a busy machine.)
   */
  @ByChance
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
  void nothingIsLeftBehindByStartAndStop() throws Exception {
    // What stays open from its first use on is counted before.
    for (EngineKind kind : EngineKind.values()) {
      Recorder.record(every(MILLISECOND, kind), () -> {});
    }
    int fds = Tasks.openFileDescriptors();
    Set<String> threads = threadNames();
    threads.remove("drain");
    for (int i = 0; i < 50; i++) {
      EngineKind kind = EngineKind.values()[i % EngineKind.values().length];
      Recorder recorder =
          Recorder.record(every(MILLISECOND, kind), () -> TimeUnit.MILLISECONDS.sleep(5));
      assertTrue(recorder.choice.engine().isPresent());
      assertTrue(recorder.statistics.get(EngineFigure.FILE_DESCRIPTORS) > 0);
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

  private static Set<String> threadNames() {
    // Compiler threads come and go by themselves.
    return Arrays.stream(Tasks.list(SampledProcess.OWN))
        .mapToObj(tid -> Tasks.comm(SampledProcess.OWN, tid))
        .filter(comm -> comm != null && !comm.contains("Compiler"))
        .collect(Collectors.toCollection(HashSet::new));
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
}
