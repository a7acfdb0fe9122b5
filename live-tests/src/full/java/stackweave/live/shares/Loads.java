package stackweave.live.shares;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/**
 * Two hundred threads of very different load, 1.3 CPUs together, and short ones beside them. Those
 * of one kind have the same name.
 */
final class Loads {
  private static final long MICRO = 1_000;
  private static final long MILLI = 1_000_000;

  /** Of a core for the short threads of each length. */
  private static final double SHORT_SHARE = 0.04;

  private static final long[] SHORT = {200 * MICRO, 500 * MICRO, MILLI, 2 * MILLI, 5 * MILLI};

  private static final int STEADY = 64;
  private static final double LEAST_STEADY = 0.0005;
  private static final double MOST_STEADY = 0.03;

  private final List<Worker> workers = new ArrayList<>();
  private final List<Thread> starters = new ArrayList<>();
  private final Queue<Worker> shortOnes = new ConcurrentLinkedQueue<>();
  private final SplittableRandom seeds = new SplittableRandom();
  private volatile boolean over;

  Loads() {
    for (long work : new long[] {100, 200, 500, 1_000}) {
      each("wakes every 10 ms", random -> inStep(10 * MILLI, 0, work * MICRO));
      each("works after a tick", random -> inStep(Ticks.nanos(), Ticks.last(), work * MICRO / 4));
    }
    for (int i = 0; i < 8; i++) {
      each("wakes every ms", random -> inStep(MILLI, 0, 20 * MICRO));
    }
    for (int i = 0; i < 80; i++) {
      long pause = 20 * MILLI + i * 2 * MILLI;
      each("sleeps at random", random -> atRandom(random, pause, pause / 400));
    }
    for (int i = 0; i < 20; i++) {
      addPair();
    }
    for (int i = 0; i < STEADY; i++) {
      double share = LEAST_STEADY * Math.pow(MOST_STEADY / LEAST_STEADY, (double) i / (STEADY - 1));
      each("steady", random -> steady(random, share));
    }
    for (long nanos : SHORT) {
      starters.add(new Thread(() -> startShort(seeds.split(), nanos), "starter"));
    }
  }

  /** Runs for a time. */
  void run(long millis) throws InterruptedException {
    workers.forEach(Thread::start);
    starters.forEach(Thread::start);
    Thread.sleep(millis);
    over = true;
    for (Worker worker : workers) {
      worker.join();
    }
    for (Thread starter : starters) {
      starter.join();
    }
    for (Worker each : shortOnes) {
      each.join();
    }
  }

  /** What all have used. */
  List<String> lines() {
    List<Worker> all = new ArrayList<>(workers);
    all.addAll(shortOnes);
    return all.stream().map(Worker::line).toList();
  }

  /** What a worker does again and again. */
  private interface Turn {
    void take(Burning worker) throws InterruptedException;
  }

  private interface Load {
    Turn by(RandomGenerator random);
  }

  private final class Burning extends Worker {
    private final Turn turn;

    Burning(String kind, Turn turn) {
      super(kind);
      this.turn = turn;
    }

    @Override
    void work() throws InterruptedException {
      while (!over) {
        turn.take(this);
      }
    }
  }

  private void each(String kind, Load load) {
    workers.add(new Burning(kind, load.by(seeds.split())));
  }

  /** At each multiple of a time after another. */
  private static Turn inStep(long every, long since, long nanos) {
    return worker -> {
      long now = System.nanoTime();
      parkUntil(now + every - Math.floorMod(now - since, every));
      worker.burn(nanos);
    };
  }

  private static Turn atRandom(RandomGenerator random, long pause, long nanos) {
    return worker -> {
      parkUntil(System.nanoTime() + exponential(random, pause));
      worker.burn(exponential(random, nanos));
    };
  }

  /** Five milliseconds of work at a time, a slice of the kernel's scheduler or two. */
  private static Turn steady(RandomGenerator random, double share) {
    return worker -> {
      worker.burn(5 * MILLI);
      parkUntil(System.nanoTime() + (long) (5 * MILLI / share * (0.5 + random.nextDouble())));
    };
  }

  /** They hand a token to and fro fifty times, and rest. */
  private void addPair() {
    SynchronousQueue<Boolean> there = new SynchronousQueue<>();
    SynchronousQueue<Boolean> back = new SynchronousQueue<>();
    SplittableRandom random = seeds.split();
    workers.add(
        new Worker("hands tokens") {
          @Override
          void work() throws InterruptedException {
            while (!over) {
              for (int i = 0; i < 50; i++) {
                there.put(true);
                back.take();
              }
              parkUntil(System.nanoTime() + exponential(random, 60 * MILLI));
            }
            there.put(false);
          }
        });
    workers.add(
        new Worker("hands tokens") {
          @Override
          void work() throws InterruptedException {
            while (there.take()) {
              back.put(true);
            }
          }
        });
  }

  private void startShort(RandomGenerator random, long nanos) {
    String kind = nanos / 1e6 + " ms long";
    while (!over) {
      parkUntil(System.nanoTime() + exponential(random, nanos / SHORT_SHARE));
      Worker worker =
          new Worker(kind) {
            @Override
            void work() {
              burn(nanos);
            }
          };
      worker.start();
      shortOnes.add(worker);
    }
  }

  private static long exponential(RandomGenerator random, double mean) {
    return (long) (-mean * Math.log(1 - random.nextDouble()));
  }

  private static void parkUntil(long time) {
    for (long left = time - System.nanoTime(); left > 0; left = time - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
