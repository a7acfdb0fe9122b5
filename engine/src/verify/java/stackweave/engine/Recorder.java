package stackweave.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import stackweave.engine.choice.EngineChoice;
import stackweave.engine.choice.EngineChooser;
import stackweave.engine.perf.PerfAttr;
import stackweave.engine.perf.PerfBudget;
import stackweave.engine.perf.PerfThreadEngine;
import stackweave.jfr.control.EngineKind;
import stackweave.unwind.snapshot.StackSnapshot;

/** A drain thread for tests: runs an engine beside a workload and keeps what it delivered. */
public final class Recorder implements EngineSink {
  /** One sample's particulars, without its stack. */
  public record Sample(
      long timeNanos, int tid, long pc, long sp, int stackBytes, int kernelFrames, long weight) {}

  public record Rename(long timeNanos, int tid, String comm) {}

  public final List<Sample> samples = new ArrayList<>();
  public final List<Rename> renames = new ArrayList<>();
  public final Map<Integer, Long> started = new HashMap<>();
  public final Map<Integer, Long> exited = new HashMap<>();
  public final List<Integer> exitMessages = new ArrayList<>();
  public final List<Long> times = new ArrayList<>();
  public volatile Consumer<StackSnapshot> onSample = snapshot -> {};

  /** After each wait and drain, on the drain thread. */
  public volatile Consumer<SampleEngine> onStep = engine -> {};

  /** Whether to drain only when the engine has stopped. */
  public boolean deaf;

  /** Whether to attach every thread a second time. */
  public boolean twice;

  /** Set to run as on an older kernel; null for the usual choice. */
  public PerfAttr.Features newestFeatures;

  /** What inherited events may cost. */
  public PerfBudget budget = new PerfBudget(PerfBudget.DEFAULT_BYTES);

  /** Whether the engine has ended by itself. */
  public volatile boolean ended;

  /** The engine's in the end. */
  public String note;

  long lost;
  public EngineChoice choice;
  public EngineStatistics statistics;

  /** What runs while the engine does. */
  public interface Workload {
    public void run() throws Exception;
  }

  /** Runs the engine on a thread of its own for as long as the workload runs on this one. */
  public static Recorder record(EngineConfig config, Workload workload) throws Exception {
    return new Recorder().run(config, workload);
  }

  public Recorder run(EngineConfig config, Workload workload) throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    boolean[] stop = {false};
    Throwable[] failure = {null};
    Thread drain =
        new Thread(
            () -> {
              try {
                drain(config, running, stop);
              } catch (Throwable t) {
                failure[0] = t;
              } finally {
                running.countDown();
              }
            },
            "drain");
    drain.start();
    running.await();
    try {
      workload.run();
    } finally {
      synchronized (stop) {
        stop[0] = true;
      }
      choice.engine().ifPresent(SampleEngine::wake);
      drain.join();
    }
    if (failure[0] != null) {
      throw new AssertionError("the drain thread failed", failure[0]);
    }
    return this;
  }

  private void drain(EngineConfig config, CountDownLatch running, boolean[] stop)
      throws EngineRefusedException {
    choice =
        newestFeatures == null
            ? EngineChooser.start(config, SignalTargets.NONE, budget)
            : new EngineChoice(
                Optional.of(
                    PerfThreadEngine.start(EngineKind.PERF_THREAD, config, budget, newestFeatures)),
                List.of(),
                false);
    if (twice) {
      ((PerfThreadEngine) choice.engine().orElseThrow()).attach();
    }
    running.countDown();
    if (choice.engine().isEmpty()) {
      return;
    }
    try (SampleEngine engine = choice.engine().get()) {
      while (!isSet(stop)) {
        engine.await(20);
        if (!deaf) {
          synchronized (this) {
            engine.drain(Long.MAX_VALUE, this);
          }
          ended = engine.state() == EngineState.TO_BE_REPLACED;
        }
        onStep.accept(engine);
      }
      engine.stop();
      engine.drain(Long.MAX_VALUE, this);
      statistics = engine.statistics();
      note = engine.note();
    }
  }

  /**
   * Waits until there is a sample of a thread: from then on it is sampled, however late a busy
   * machine lets the engine find it. Gives up after two minutes.
   */
  public void awaitSample(Burner burner) throws InterruptedException {
    for (int i = 0; i < 24_000 && !hasSample(burner.tid); i++) {
      Thread.sleep(5);
    }
  }

  /** CPU time of a thread that its samples after a time of {@link System#nanoTime} stand for. */
  public synchronized long covered(Burner burner, long since) {
    return samples.stream()
        .filter(sample -> sample.tid() == burner.tid && sample.timeNanos() - since > 0)
        .mapToLong(Sample::weight)
        .sum();
  }

  /** Waits until the engine has told of a thread's end; gives up after two minutes. */
  public void awaitExit(int tid) throws InterruptedException {
    for (int i = 0; i < 12_000 && !hasExited(tid); i++) {
      Thread.sleep(10);
    }
  }

  private synchronized boolean hasSample(int tid) {
    return samples.stream().anyMatch(sample -> sample.tid() == tid);
  }

  /** Waits until it has told of the ends of all threads that it knew but so many. */
  public void awaitExitsBut(int few) throws InterruptedException {
    for (int i = 0; i < 12_000 && missingExits() > few; i++) {
      Thread.sleep(10);
    }
  }

  private synchronized int missingExits() {
    return started.size() - exited.size();
  }

  private synchronized boolean hasExited(int tid) {
    return exited.containsKey(tid);
  }

  /** Returns when no drain is under way that began before. */
  public synchronized void settle() {}

  private static boolean isSet(boolean[] flag) {
    synchronized (flag) {
      return flag[0];
    }
  }

  @Override
  public void sample(StackSnapshot snapshot) {
    times.add(snapshot.timeNanos());
    samples.add(
        new Sample(
            snapshot.timeNanos(),
            snapshot.tid(),
            snapshot.registers().pc(),
            snapshot.registers().sp(),
            snapshot.stackLength(),
            snapshot.kernelFrameCount(),
            snapshot.weightNanos()));
    onSample.accept(snapshot);
  }

  @Override
  public void renamed(long timeNanos, int tid, String comm) {
    times.add(timeNanos);
    renames.add(new Rename(timeNanos, tid, comm));
  }

  @Override
  public void started(long timeNanos, int tid, int parentTid) {
    times.add(timeNanos);
    started.put(tid, timeNanos);
  }

  @Override
  public void exited(long timeNanos, int tid) {
    times.add(timeNanos);
    exited.put(tid, timeNanos);
    exitMessages.add(tid);
  }

  @Override
  public void lost(long timeNanos, long count) {
    lost += count;
  }
}
