package stackweave.live.threads;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import stackweave.lab.Sampling;

/**
 * Starts many threads as fast as it can, ends them, and waits for the sampling engine to change
 * each time. Prints how many more perf events the kernel had at most meanwhile, their size, and the
 * engine with and without the threads.
 */
final class ManyThreadsApp {
  private static final int TRIES = 3_000;

  private static volatile boolean done;

  private ManyThreadsApp() {}

  public static void main(String[] args) throws Exception {
    Sampling.await();
    long[] before = events();
    long[] most = {0};
    Thread watch =
        new Thread(
            () -> {
              try {
                while (!done) {
                  most[0] = Math.max(most[0], events()[0] - before[0]);
                  Thread.sleep(5);
                }
              } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    watch.start();
    CountDownLatch end = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < Integer.parseInt(args[0]); i++) {
      Thread thread = new Thread(() -> await(end), "idle");
      thread.start();
      threads.add(thread);
    }
    String full = engine("perf");
    done = true;
    watch.join();
    System.out.println("EVENTS " + most[0]);
    System.out.println("BYTES " + before[1]);
    System.out.println("FULL " + full);
    end.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    System.out.println("FREE " + engine("perf-thread"));
    for (int i = 0; i < 15; i++) { // for a status; not at one go: the machine may stop for a while
      Thread.sleep(100);
    }
  }

  /** The engine, as soon as it is the one that is waited for, or after five minutes. */
  private static String engine(String wanted) throws IOException, InterruptedException {
    String engine = "";
    for (int i = 0; i < TRIES && !engine.equals(wanted); i++) {
      Thread.sleep(100);
      engine = engine();
    }
    return engine;
  }

  /** By the descriptors of events: one for each CPU, or one for each thread and CPU. */
  private static String engine() throws IOException {
    int count = 0;
    try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path file : open) {
        try {
          count += Files.readSymbolicLink(file).toString().contains("perf_event") ? 1 : 0;
        } catch (NoSuchFileException e) {
          // It has been closed meanwhile.
        }
      }
    }
    int cpus = Integer.parseInt(System.getenv("CPUS"));
    return count == 0 ? "none" : count <= cpus ? "perf" : "perf-thread";
  }

  /** Perf events of the whole machine, and the bytes of one. */
  private static long[] events() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/slabinfo"))) {
      String[] columns = line.split(" +");
      if (columns[0].equals("perf_event")) {
        return new long[] {Long.parseLong(columns[1]), Long.parseLong(columns[3])};
      }
    }
    throw new IOException("/proc/slabinfo has no perf_event");
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
