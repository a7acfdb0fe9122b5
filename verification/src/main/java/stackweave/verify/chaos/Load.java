package stackweave.verify.chaos;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import stackweave.samples.lab.JniLab;
import stackweave.samples.work.Round;
import stackweave.samples.zoo.JniZoo;
import stackweave.verify.chaos.work.Board;
import stackweave.verify.phases.Phases;

/**
 * The application: threads that compute what is known beforehand, in Java, in C called by Java that
 * calls Java, in the zoo's libraries, and by exceptions. Each result is compared with what the same
 * JDK came to without an agent.
 */
final class Load {
  /** Of the lab those that need no signal and attach their own threads. */
  private static final List<String> LAB =
      List.of("Chains", "Callbacks", "Allocas", "Recursion", "Leaves", "NativeThreads");

  private final Map<String, List<Worker>> workers = new LinkedHashMap<>();
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private volatile boolean stopping;

  /** A round and what it is to come to. */
  private record Worker(String name, Round round) {}

  Load() {
    workers.put("java", all("compute", "exceptions", "stubs"));
    List<Worker> lab = new ArrayList<>();
    JniLab.workers(LAB)
        .forEach(
            (variant, rounds) -> {
              for (int i = 0; i < rounds.size(); i++) {
                lab.add(new Worker(variant + "-" + LAB.get(i), rounds.get(i)));
              }
            });
    workers.put("jni", lab);
    List<Worker> zoo = new ArrayList<>();
    JniZoo.workers()
        .forEach((library, rounds) -> rounds.forEach(round -> zoo.add(new Worker(library, round))));
    workers.put("zoo", zoo);
  }

  private static List<Worker> all(String... phases) {
    List<Worker> all = new ArrayList<>();
    for (String phase : phases) {
      all.add(new Worker(phase, Phases.rounds(phase).get(0)));
    }
    return all;
  }

  /** Worker threads. */
  static int threads() {
    return 3;
  }

  /** What each round comes to, by its name; on the calling thread. */
  Map<String, Long> results() {
    Map<String, Long> results = new LinkedHashMap<>();
    workers
        .values()
        .forEach(ofThread -> ofThread.forEach(w -> results.put(w.name(), w.round().run())));
    return results;
  }

  /** Begins to work and to compare. */
  void start(Map<String, Long> expected, Board board) {
    int slot = Board.WORKERS;
    for (Map.Entry<String, List<Worker>> worker : workers.entrySet()) {
      int own = slot++;
      Thread thread =
          new Thread(
              () -> repeat(worker.getValue(), expected, board, own), "load-" + worker.getKey());
      threads.add(thread);
      thread.start();
    }
  }

  private void repeat(List<Worker> rounds, Map<String, Long> expected, Board board, int slot) {
    try {
      while (!stopping) {
        for (Worker worker : rounds) {
          long result = worker.round().run();
          if (result != expected.get(worker.name())) {
            throw new IllegalStateException(
                "%s came to %x instead of %x"
                    .formatted(worker.name(), result, expected.get(worker.name())));
          }
          board.add(slot, 1);
          if (stopping) {
            return;
          }
        }
      }
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
    }
  }

  /** What went wrong so far, or null. */
  Throwable failure() {
    return failure.get();
  }

  /** Ends each worker's round; what went wrong, or null. */
  Throwable stop() throws InterruptedException {
    stopping = true;
    for (Thread thread : threads) {
      thread.join();
    }
    return failure.get();
  }
}
