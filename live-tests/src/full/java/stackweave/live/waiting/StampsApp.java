package stackweave.live.waiting;

import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import stackweave.lab.Sampling;

/**
 * Threads that block for 50 µs to 10 ms all the time, each time at the end of a chain of calls that
 * spells a number, twice: a stack that was put together of two moments spells two different ones.
 * Other threads come and go. Arguments: milliseconds, threads.
 */
final class StampsApp {
  /** Bits of a number. */
  static final int BITS = 8;

  /** Of a number: how much deeper it is spelt. */
  private static final int DEEPER = 15;

  private static final long MIN_NANOS = 50_000;
  private static final long MAX_NANOS = 10_000_000;
  private static final int SHORT_MILLIS = 5;

  private static volatile boolean ending;

  private StampsApp() {}

  public static void main(String[] arguments) throws Exception {
    Sampling.await();
    long millis = Long.parseLong(arguments[0]);
    int count = Integer.parseInt(arguments[1]);
    for (int i = 0; i < count; i++) {
      daemon("stamps-" + i, new Stamps(i));
    }
    long end = System.nanoTime() + millis * 1_000_000;
    for (int i = 0; System.nanoTime() < end; i++) {
      daemon("short-" + i, StampsApp::pause);
      pause();
    }
    ending = true;
  }

  private static void daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  private static void pause() {
    LockSupport.parkNanos(SHORT_MILLIS * 1_000_000L);
  }

  private static final class Stamps implements Runnable {
    private final SplittableRandom random;
    private long nanos;

    Stamps(int seed) {
      random = new SplittableRandom(seed);
    }

    @Override
    public void run() {
      while (!ending) {
        int number = random.nextInt(1 << BITS);
        nanos = (long) (MIN_NANOS * Math.pow((double) MAX_NANOS / MIN_NANOS, random.nextDouble()));
        deepen(number & DEEPER, number | number << BITS);
      }
    }

    /**
     * Numbers are spelt at different depths, so that registers of one don't fit another's stack.
     */
    private int deepen(int more, int number) {
      return (more == 0 ? spell(number, 2 * BITS) : deepen(more - 1, number)) + 1;
    }

    private int spell(int number, int bits) {
      if (bits == 0) {
        block();
        return 1;
      }
      return (number & 1) == 0 ? zero(number, bits) : one(number, bits);
    }

    private int zero(int number, int bits) {
      return spell(number >>> 1, bits - 1) + 1;
    }

    private int one(int number, int bits) {
      return spell(number >>> 1, bits - 1) + 1;
    }

    /** One call in eight sleeps, so that stacks differ in their innermost frames, too. */
    private void block() {
      if ((nanos & 7) == 0) {
        try {
          Thread.sleep(0, (int) Math.min(999_999, nanos));
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      } else {
        LockSupport.parkNanos(nanos);
      }
    }
  }
}
