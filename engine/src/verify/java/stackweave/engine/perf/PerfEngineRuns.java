package stackweave.engine.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.parallel.ResourceLock;
import stackweave.engine.Burner;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineFigure;
import stackweave.engine.EngineSink;
import stackweave.engine.EngineStatistics;
import stackweave.engine.Recorder;
import stackweave.jfr.control.EngineKind;
import stackweave.unwind.snapshot.StackSnapshot;

/** Engines at work on this JVM. */
@ResourceLock("TimerEngine") // one runs in a process
abstract class PerfEngineRuns {
  static final long MILLISECOND = 1_000_000;

  static EngineConfig every(long nanos, EngineKind kind) {
    return new EngineConfig(nanos, EngineConfig.MAX_STACK_BYTES, kind);
  }

  /**
   * A thread uses more than it can say of itself: to start the next one and to end takes time, on
   * some machines a millisecond. So what is too much is told by the process.
   */
  static void assertCoveredShort(
      EngineStatistics statistics, long covered, long used, List<Burner> burners) {
    double stolen = (double) burners.stream().mapToLong(b -> b.stolen).sum() / used;
    double missing = lossShare(statistics) + stolen;
    assertShare(0.7 - missing, 1.6, covered, used, "short " + statistics);
    assertShare(
        0.75 - missing,
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

  /** Calls from so many frames further in. */
  static void deep(int frames, Runnable call) {
    if (frames > 0) {
      deep(frames - 1, call);
    } else {
      call.run();
    }
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

  static final class Ignoring implements EngineSink {
    int samples;

    @Override
    public void sample(StackSnapshot snapshot) {
      samples++;
    }
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
  void assertShortThreadsAreCovered() throws Exception {
    List<Burner> pool = new ArrayList<>();
    Burner beside = new Burner("beside", 600 * MILLISECOND);
    Recorder recorder =
        Recorder.record(
            every(2 * MILLISECOND, EngineKind.PERF),
            () -> {
              beside.start();
              runPool(400, pool);
              beside.join();
            });

    EngineStatistics statistics = recorder.statistics;
    long used = pool.stream().mapToLong(burner -> burner.used).sum();
    long covered = pool.stream().mapToLong(burner -> covered(recorder, burner.tid)).sum();
    assertCoveredShort(statistics, covered, used, pool);
    assertShare(0.7, 1.3, covered(recorder, beside.tid), beside.used, "beside " + statistics);
    assertEquals(statistics.get(EngineFigure.SAMPLES), recorder.samples.size());
    assertEquals(0, statistics.get(EngineFigure.FOREIGN_SAMPLES), statistics.toString());
  }
}
