package stackweave.agent.engine.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.engine.Burner;
import stackweave.agent.engine.EngineConfig;
import stackweave.agent.engine.EngineFigure;
import stackweave.agent.engine.EngineSink;
import stackweave.agent.engine.EngineStatistics;
import stackweave.agent.engine.Recorder;
import stackweave.agent.linux.SelfMemory;
import stackweave.agent.linux.Tasks;
import stackweave.jfr.control.EngineKind;
import stackweave.testing.Gcc;
import stackweave.unwind.Registers;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.snapshot.StackSnapshot;

/** Engines at work on this JVM. */
abstract class PerfEngineRuns {
  static final long MILLISECOND = 1_000_000;
  static final int ENOUGH = 60;
  static final long PLANTED = 0x5ca1ab1e00000000L;

  @TempDir static Path directory;

  static EngineConfig every(long nanos, EngineKind kind) {
    return new EngineConfig(nanos, EngineConfig.MAX_STACK_BYTES, kind);
  }

  /**
   * A thread uses more than it can say of itself: to start the next one and to end takes time, on
   * some machines a millisecond. So what is too much is told by the process. Threads that all use
   * the same are all cut at the same point: up to half a short period each, of 1.3 ms at most.
   */
  static void assertCoveredShort(
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
  static double lossShare(EngineStatistics statistics) {
    return (double) statistics.get(EngineFigure.LOST)
        * statistics.get(EngineFigure.INTERVAL)
        / statistics.get(EngineFigure.CPU_USED);
  }

  /** Two at a time, of 5 ms each. */
  static void runPool(int threads, List<Burner> burners) throws InterruptedException {
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

  static void next(int left, List<Burner> chain, CountDownLatch end) {
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

  /** On a loaded machine the loop may have to wait for its turn. */
  static void awaitSamples(AtomicInteger count) {
    for (int i = 0; i < 30_000 && count.get() < ENOUGH; i++) {
      pause(10);
    }
  }

  static void compare(StackSnapshot snapshot, long argument, List<String> wrong) {
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

  /** Calls from so many frames further in. */
  static void deep(int frames, Runnable call) {
    if (frames > 0) {
      deep(frames - 1, call);
    } else {
      call.run();
    }
  }

  static void compareLive(
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

  static long perfDescriptors() throws IOException {
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

  static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static void pause(int millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static boolean hasLost(Recorder recorder) {
    return recorder.statistics != null && recorder.statistics.get(EngineFigure.LOST) > 100;
  }

  static final class Ignoring implements EngineSink {
    int samples;

    @Override
    public void sample(StackSnapshot snapshot) {
      samples++;
    }
  }

  static Set<String> threadNames() {
    // Compiler threads come and go by themselves.
    return Arrays.stream(Tasks.list())
        .mapToObj(Tasks::comm)
        .filter(comm -> comm != null && !comm.contains("Compiler"))
        .collect(Collectors.toCollection(HashSet::new));
  }

  static Path planted(String name) throws Exception {
    // A name of its own for each test: a library that is loaded already is not mapped again.
    return Gcc.compile(
        directory, "planted.c", name + ".so", "-shared", "-fPIC", "-Wl,--build-id=sha1");
  }

  /**
   * Together the threads have the samples of their CPU time; each has its share of them only on the
   * average: the kernel lets siblings that take turns on a CPU go on with each other's timers.
   */
  static void assertCovered(Recorder recorder, long interval, Burner... burners) {
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

  static long covered(Recorder recorder, int tid) {
    return recorder.samples.stream()
        .filter(sample -> sample.tid() == tid)
        .mapToLong(Recorder.Sample::weight)
        .sum();
  }

  static void assertShare(double least, double most, long part, long whole, String what) {
    double share = (double) part / whole;
    assertTrue(share >= least && share <= most, () -> what + ": " + part + " of " + whole);
  }

  /** A pool of short threads, and one that lives longer beside them. */
  void assertShortThreadsAreCovered(EngineKind kind) throws Exception {
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
}
