package stackweave.benchmarks;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import stackweave.linux.CpuTime;
import stackweave.linux.SystemCalls;
import stackweave.linux.task.TaskFiles;

/**
 * What it takes to look at a waiting thread: its CPU clock, which is all for one that has not run;
 * and the files that are read of one that has.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class WaitingThreadBenchmark {
  /** How many threads wait; they are looked at in turn. */
  @Param({"200", "2000"})
  public int threads;

  private final CpuTime clocks = new CpuTime();
  private final SystemCalls calls = SystemCalls.current().orElseThrow();
  private final TaskFiles files = new TaskFiles(calls);
  private int[] tids;
  private Thread[] waiting;
  private volatile boolean ending;
  private int next;

  /** Starts threads that park. */
  @Setup
  public void start() throws InterruptedException {
    tids = new int[threads];
    waiting = new Thread[threads];
    CountDownLatch started = new CountDownLatch(threads);
    for (int i = 0; i < threads; i++) {
      int number = i;
      waiting[i] =
          new Thread(
              () -> {
                tids[number] = calls.gettid();
                started.countDown();
                while (!ending) {
                  LockSupport.park(this);
                }
              });
      waiting[i].setDaemon(true);
      waiting[i].start();
    }
    started.await();
  }

  /** Ends the threads. */
  @TearDown
  public void close() throws InterruptedException {
    ending = true;
    for (Thread thread : waiting) {
      LockSupport.unpark(thread);
      thread.join();
    }
    files.close();
    clocks.close();
  }

  private int next() {
    next = next + 1 < threads ? next + 1 : 0;
    return tids[next];
  }

  @Benchmark
  public long clock() {
    return clocks.ofThread(next());
  }

  @Benchmark
  public TaskFiles.Answer systemCall() {
    return files.readCall(next());
  }

  @Benchmark
  public long runDelay() {
    return files.runDelay(next());
  }
}
