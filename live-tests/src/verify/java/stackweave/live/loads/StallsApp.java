package stackweave.live.loads;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import stackweave.lab.Sampling;
import stackweave.samples.work.AgentThread;

/**
 * Keeps the JVM waiting: by a loop in which no safepoint is polled for, and by JNI critical
 * sections while the heap is full. Says for how long it was: {@code StallsApp LIBRARY}.
 */
final class StallsApp {
  private static final int STOPS = 5;
  private static final long LOOP_NANOS = 200_000_000;
  private static final int HOLD_MILLIS = 150;
  private static final int COLLECTIONS = 3;

  /** The agent's thread, which decodes samples; the kernel keeps 15 characters. */
  private static final int IDLE_LOOKS = 10;

  private static final int LOOK_MILLIS = 30;

  /** What the drain thread uses in a look if it has nothing to do, at most. */
  private static final long IDLE_NANOS = 3_000_000;

  private static final long PATIENCE_NANOS = 60_000_000_000L;

  private static final AtomicInteger SINK = new AtomicInteger();
  private static final AtomicReference<byte[]> GARBAGE = new AtomicReference<>();

  private StallsApp() {}

  /** Holds the array critically for so long, computing. */
  private static native void hold(int[] array, int millis);

  public static void main(String[] args) throws Exception {
    System.load(args[0]);
    int rounds = calibrated();
    Sampling.await();
    awaitIdleDrain();
    stop(rounds);
    awaitIdleDrain();
    collect();
  }

  /**
   * Waits until the agent has begun and decoded what there is: its thread is kept from running at
   * safepoints, as all are, and the kernel's buffers of samples are small.
   */
  private static void awaitIdleDrain() throws IOException, InterruptedException {
    long latest = System.nanoTime() + PATIENCE_NANOS;
    long used = 0;
    for (int idle = 0; idle < IDLE_LOOKS && System.nanoTime() < latest; ) {
      Thread.sleep(LOOK_MILLIS);
      long now = AgentThread.cpuNanos();
      boolean sleeps = AgentThread.waits();
      idle = sleeps && now - used < IDLE_NANOS ? idle + 1 : 0;
      used = now;
    }
  }

  private static int calibrated() {
    int rounds = 1 << 20;
    // Until it takes that long twice: interpreted it may do so too early.
    for (int times = 0; times < 2 && rounds < 1 << 30; ) {
      long begin = Sampling.cpuNanos();
      SINK.set(longLoop(rounds));
      boolean isLong = Sampling.cpuNanos() - begin > LOOP_NANOS;
      times = isLong ? times + 1 : 0;
      rounds *= isLong ? 1 : 2;
    }
    return rounds;
  }

  /** Counted by an int: the JIT compilers leave the poll out. */
  private static int longLoop(int rounds) {
    int hash = 1;
    for (int i = 0; i < rounds; i++) {
      hash = hash * 31 + (hash >>> 3) + i;
    }
    return hash;
  }

  private static void stop(int rounds) throws InterruptedException {
    AtomicBoolean end = new AtomicBoolean();
    Thread looper =
        new Thread(
            () -> {
              while (!end.get()) {
                SINK.set(longLoop(rounds));
              }
            },
            "looper");
    looper.start();
    long nanos = 0;
    for (int i = 0; i < STOPS; i++) {
      Thread.sleep(20);
      long begin = System.nanoTime();
      Thread.getAllStackTraces();
      nanos += System.nanoTime() - begin;
    }
    end.set(true);
    looper.join();
    System.out.println("stopped " + nanos);
  }

  private static void collect() throws InterruptedException {
    AtomicBoolean end = new AtomicBoolean();
    AtomicLong longest = new AtomicLong();
    int[] array = new int[64];
    Thread holder =
        new Thread(
            () -> {
              while (!end.get()) {
                long begin = System.nanoTime();
                hold(array, HOLD_MILLIS);
                longest.accumulateAndGet(System.nanoTime() - begin, Math::max);
              }
            },
            "holder");
    Thread allocator =
        new Thread(
            () -> {
              while (!end.get()) {
                GARBAGE.set(new byte[100_000]);
              }
            },
            "allocator");
    holder.start();
    allocator.start();
    long collected = collections() + COLLECTIONS;
    long latest = System.nanoTime() + PATIENCE_NANOS;
    while (collections() < collected && System.nanoTime() < latest) {
      Thread.sleep(20);
    }
    end.set(true);
    holder.join();
    allocator.join();
    System.out.println("held " + longest);
  }

  private static long collections() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionCount)
        .sum();
  }
}
