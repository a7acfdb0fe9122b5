package stackweave.lab.chaos;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import stackweave.lab.chaos.work.Board;
import stackweave.lab.phases.Phases;
import stackweave.samples.lab.JniLab;
import stackweave.samples.work.Round;
import stackweave.samples.zoo.JniZoo;

/**
 * The application beside the antagonists: threads that compute known results, in Java, in C called
 * by Java that calls Java, in the libraries of sample-apps, and by exceptions. Each result is
 * compared with that of the same JDK without an agent.
 */
final class Load {
  /** The parts of the JNI lab that need no signal and attach their own threads. */
  private static final List<String> LAB =
      List.of("Chains", "Callbacks", "Allocas", "Recursion", "Leaves", "NativeThreads");

  private final Map<String, List<Worker>> workers = new LinkedHashMap<>();
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private volatile boolean stopping;

  /** A round and its name, by which its expected result is found. */
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

  /** How many worker threads there are. */
  static int threads() {
    return 3;
  }

  /** The result of each round by its name, computed on the calling thread. */
  Map<String, Long> results() {
    Map<String, Long> results = new LinkedHashMap<>();
    workers
        .values()
        .forEach(ofThread -> ofThread.forEach(w -> results.put(w.name(), w.round().run())));
    return results;
  }

  /** Starts the workers, which compare each result with the expected one. */
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

  /** Ends the workers, each after its round; returns what went wrong, or null. */
  Throwable stop() throws InterruptedException {
    stopping = true;
    for (Thread thread : threads) {
      thread.join();
    }
    return failure.get();
  }
}
