package stackweave.agent.drain;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs generation after generation, and keeps a record of which one ran when. */
final class ChurnWorker extends Thread {
  private static final AtomicInteger NEXT = new AtomicInteger(1);

  /** How far the kernel's clock of a sample may be from System.nanoTime. */
  private static final long CLOCKS_NANOS = 1_000_000;

  /** When a generation ran, on the clock of samples. */
  private static final class Run {
    final int generation;
    final long from = System.nanoTime();
    volatile long to = Long.MAX_VALUE;

    Run(int generation) {
      this.generation = generation;
    }
  }

  private final List<Run> runs = new CopyOnWriteArrayList<>();
  private final long runNanos;
  private volatile boolean stopping;
  private long result;
  volatile int tid;

  ChurnWorker(long runNanos) {
    super("churn");
    this.runNanos = runNanos;
  }

  void end() throws InterruptedException {
    stopping = true;
    join();
  }

  /** Whether the generation ran at that time. */
  boolean ran(int generation, long timeNanos) {
    for (int i = runs.size() - 1; i >= 0; i--) {
      Run run = runs.get(i);
      if (run.generation == generation) {
        return run.from - CLOCKS_NANOS <= timeNanos && timeNanos - CLOCKS_NANOS <= run.to;
      }
    }
    return false;
  }

  /** What ran at that time, and when the generation did, in milliseconds from then. */
  String around(int generation, long timeNanos) {
    StringBuilder text = new StringBuilder();
    for (Run run : runs) {
      long from = (run.from - timeNanos) / 1_000_000;
      boolean goesOn = run.to == Long.MAX_VALUE;
      if (run.generation == generation || from <= 0 && (goesOn || run.to >= timeNanos)) {
        text.append(run.generation).append(" from ").append(from);
        text.append(goesOn ? " on, " : " to " + (run.to - timeNanos) / 1_000_000 + ", ");
      }
    }
    return text.toString();
  }

  @Override
  public void run() {
    try {
      tid = Integer.parseInt(Path.of("/proc/thread-self").toRealPath().getFileName().toString());
      while (!stopping) {
        int generation = NEXT.getAndIncrement();
        ChurnBase code = ChurnLoader.load(generation);
        run(generation, code);
      }
    } catch (ReflectiveOperationException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void run(int generation, ChurnBase code) {
    Run run = new Run(generation);
    runs.add(run);
    for (long now = run.from; now - run.from < runNanos; now = System.nanoTime()) {
      result += code.applyAsInt((int) now);
    }
    run.to = System.nanoTime();
  }
}
