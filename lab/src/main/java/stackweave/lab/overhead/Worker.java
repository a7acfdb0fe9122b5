package stackweave.lab.overhead;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * A thread that works all the time. When asked, it reports how many operations it has done and how
 * much CPU time they took, between two operations, so that both figures belong together.
 */
final class Worker implements Runnable {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** After so many operations the additional share of CPU time is used. */
  private static final int BURN_EVERY = 8;

  /** What their names begin with. */
  static final String NAME = "worker-";

  /** What a worker has done since it began. */
  record Progress(long operations, long cpuNanos) {}

  private final Workload workload = new Workload();
  private final Thread thread;
  private volatile int asked;
  private volatile int answered;
  private volatile Progress progress;
  private volatile double burnShare;
  private volatile boolean failed;

  Worker(int number) {
    thread = new Thread(this, NAME + number);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** While above 0, that share of the CPU time is used for nothing. */
  void burn(double share) {
    burnShare = share;
  }

  /** CPU time used up to now. */
  long cpuNanos() {
    return THREADS.getThreadCpuTime(thread.getId());
  }

  void ask() {
    asked++;
  }

  /** Waits for the answer to {@link #ask}. */
  Progress answer() throws InterruptedException {
    while (answered != asked) {
      if (failed) {
        throw new IllegalStateException("a worker failed, see standard error");
      }
      Thread.sleep(0, 100_000);
    }
    return progress;
  }

  @Override
  public void run() {
    try {
      work();
    } finally {
      failed = true;
    }
  }

  private void work() {
    long expected = workload.run();
    long operations = 0;
    long burnt = 0;
    while (true) {
      if (workload.run() != expected) {
        throw new IllegalStateException("an operation came to another result than before");
      }
      operations++;
      if (operations % BURN_EVERY == 0) {
        burnt = burnShare > 0 ? burnUntil(burnt, burnShare) : 0;
      }
      int question = asked;
      if (answered != question) {
        progress = new Progress(operations, THREADS.getCurrentThreadCpuTime());
        answered = question;
      }
    }
  }

  /**
   * Uses {@code share} of the CPU time used since {@code since} once more; {@code since} is 0 at
   * the first call.
   */
  private static long burnUntil(long since, double share) {
    long now = THREADS.getCurrentThreadCpuTime();
    if (since > 0) {
      long end = now + (long) (share * (now - since));
      while (now < end) {
        now = THREADS.getCurrentThreadCpuTime();
      }
    }
    return now;
  }
}
