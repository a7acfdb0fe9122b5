package stackweave.samples.work;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Runs named rounds, a thread for each name, until the time is over; collects their checksums.
 *
 * <p>The time is wall-clock time; with {@code -Dsamples.clock=cpu} the CPU time of each thread,
 * which makes runs comparable on a machine that is busy with something else.
 */
public final class Workers {
  private static final boolean CPU_CLOCK = "cpu".equals(System.getProperty("samples.clock"));

  private Workers() {}

  /** What a worker did: its checksum is that of each of its rounds. */
  public record Outcome(String worker, long checksum, long rounds) {

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "%-24s checksum %016x", worker, checksum);
    }
  }

  /**
   * Repeats each worker's rounds for {@code seconds}; every worker runs at least once.
   *
   * @param workers thread name → its rounds, run in order
   * @throws IllegalStateException if a round came to another result than before, or threw
   */
  public static List<Outcome> run(Map<String, List<Round>> workers, double seconds) {
    long nanos = (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    List<Outcome> outcomes = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    for (Map.Entry<String, List<Round>> worker : workers.entrySet()) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  Outcome outcome = repeat(worker.getKey(), worker.getValue(), nanos);
                  synchronized (outcomes) {
                    outcomes.add(outcome);
                  }
                } catch (Throwable e) {
                  failure.compareAndSet(null, e);
                }
              },
              worker.getKey());
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new IllegalStateException("interrupted while the workers run", e);
      }
    }
    if (failure.get() != null) {
      throw new IllegalStateException(failure.get().getMessage(), failure.get());
    }
    outcomes.sort((a, b) -> a.worker().compareTo(b.worker()));
    return outcomes;
  }

  private static long now() {
    return CPU_CLOCK
        ? ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime()
        : System.nanoTime();
  }

  private static Outcome repeat(String worker, List<Round> rounds, long nanos) {
    long end = now() + nanos;
    long[] checksums = new long[rounds.size()];
    long turns = 0;
    do {
      for (int i = 0; i < checksums.length; i++) {
        long checksum = rounds.get(i).run();
        if (turns > 0 && checksum != checksums[i]) {
          throw new IllegalStateException(
              String.format(
                  Locale.ROOT,
                  "%s: round %d came to %x in turn %d, and to %x before",
                  worker,
                  i,
                  checksum,
                  turns,
                  checksums[i]));
        }
        checksums[i] = checksum;
      }
      turns++;
    } while (now() < end);
    long all = 0;
    for (long checksum : checksums) {
      all = all * 31 + checksum;
    }
    return new Outcome(worker, all, turns);
  }
}
