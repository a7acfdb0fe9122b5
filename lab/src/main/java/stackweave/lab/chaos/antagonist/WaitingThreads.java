package stackweave.lab.chaos.antagonist;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Time;

/**
 * Threads that wait in several ways for a moment each, are interrupted, end and come again, while
 * they are looked at every millisecond.
 */
final class WaitingThreads implements Antagonist {
  private static final String EVENT = "stackweave.WallSample";
  private static final int THREADS = 48;

  /** After so many waits a thread ends. */
  private static final int WAITS = 200;

  private static final long MAX_NANOS = 3_000_000;

  private final Object monitor = new Object();
  private final AtomicLong waits = new AtomicLong();

  @Override
  public String targets() {
    return "stacks of waiting threads, read from outside while they go on or end";
  }

  @Override
  public List<String> counts() {
    return List.of("waits");
  }

  @Override
  public String agentOptions(Path directory) {
    return "wall=1ms";
  }

  @Override
  public List<String> countedEvents() {
    return List.of(EVENT);
  }

  @Override
  public void run(Time time, Tally tally) throws InterruptedException {
    SplittableRandom random = new SplittableRandom(5);
    List<Thread> threads = new ArrayList<>();
    while (!time.isOver()) {
      threads.removeIf(thread -> !thread.isAlive());
      while (threads.size() < THREADS) {
        SplittableRandom own = random.split();
        Thread thread = new Thread(() -> waitOften(own, time), "waits");
        thread.setDaemon(true);
        thread.start();
        threads.add(thread);
      }
      threads.get(random.nextInt(threads.size())).interrupt();
      Thread.sleep(1);
      for (long n = waits.getAndSet(0); n > 0; n--) {
        tally.one(0);
      }
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private void waitOften(SplittableRandom random, Time time) {
    for (int i = 0; i < WAITS && !time.isOver(); i++) {
      try {
        waitOnce(random);
      } catch (InterruptedException e) {
        // That is what it is for.
      }
      waits.incrementAndGet();
    }
  }

  private void waitOnce(SplittableRandom random) throws InterruptedException {
    long nanos = random.nextLong(1, MAX_NANOS);
    switch (random.nextInt(4)) {
      case 0 -> LockSupport.parkNanos(nanos);
      case 1 -> Thread.sleep(nanos / 1_000_000, (int) (nanos % 1_000_000));
      case 2 -> {
        synchronized (monitor) {
          monitor.wait(1 + nanos / 1_000_000);
        }
      }
      default -> {
        synchronized (monitor) {
          LockSupport.parkNanos(nanos / THREADS);
        }
      }
    }
  }
}
