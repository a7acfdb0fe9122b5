package stackweave.verify.threads;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import stackweave.samples.work.AgentThread;
import stackweave.verify.Sampling;

/** Main class of the JVM that is measured. */
final class ManyThreadsJvm {
  private static final int BUSY = 4;
  private static final int SHORT_THREADS = 500;

  /** Of the short threads at a time, so that not more are started than end. */
  private static final int AT_A_TIME = 64;

  private static final long MILLI = 1_000_000;
  private static final long SETTLE_MILLIS = 8_000;

  private static long sum;

  private ManyThreadsJvm() {}

  /** Arguments: waiting threads, threads to start a second, and seconds of a measurement. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    int count = Integer.parseInt(arguments[0]);
    int starts = Integer.parseInt(arguments[1]);
    int seconds = Integer.parseInt(arguments[2]);
    Sampling.await();
    for (int i = 0; i < count; i++) {
      start(LockSupport::park, "idle");
    }
    for (int i = 0; i < BUSY; i++) {
      start(ManyThreadsJvm::work, "busy");
    }
    startAndEnd(SHORT_THREADS, Integer.MAX_VALUE);
    Thread.sleep(SETTLE_MILLIS);
    String engine = engine();
    String descriptors = "" + descriptors();
    String rings = String.format(Locale.ROOT, "%.0f", ringBytes() / 1048576.0);
    Share idle = new Share();
    Thread.sleep(1_000L * seconds);
    String alone = idle.percent();
    double each = startAndEnd(SHORT_THREADS, Integer.MAX_VALUE);
    Share many = new Share();
    long began = System.nanoTime();
    startAndEnd(starts * seconds, starts);
    double took = (System.nanoTime() - began) / 1e9;
    System.out.println(
        String.join(
            "\t",
            List.of(
                engine,
                descriptors,
                rings,
                alone,
                String.format(Locale.ROOT, "%.0f", each),
                String.format(Locale.ROOT, "%.0f", starts * seconds / took),
                many.percent(),
                engine())));
    System.exit(0);
  }

  private static void start(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** A quarter of the time. */
  private static void work() {
    while (true) {
      long end = System.nanoTime() + 5 * MILLI;
      while (System.nanoTime() < end) {
        sum = sum * 31 + 1;
      }
      LockSupport.parkNanos(15 * MILLI);
    }
  }

  /**
   * Starts threads that do nothing, so many a second at most.
   *
   * @return how long each took, in µs
   */
  private static double startAndEnd(int count, int second) throws InterruptedException {
    Semaphore places = new Semaphore(AT_A_TIME);
    long began = System.nanoTime();
    for (int i = 0; i < count; i++) {
      places.acquire();
      start(places::release, "short");
      long early = began + (long) (1e9 * i / second) - System.nanoTime();
      if (early > MILLI) {
        LockSupport.parkNanos(early);
      }
    }
    places.acquire(AT_A_TIME);
    return (System.nanoTime() - began) / 1e3 / count;
  }

  /** What the agent's threads use of a core. */
  private static final class Share {
    private final long began = System.nanoTime();
    private final long before = drainNanos();

    Share() throws IOException {}

    String percent() throws IOException {
      double share = (double) (drainNanos() - before) / (System.nanoTime() - began);
      return String.format(Locale.ROOT, "%.2f", 100 * share);
    }
  }

  private static long drainNanos() throws IOException {
    long nanos = 0;
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      for (Path task : tasks) {
        nanos += drainNanos(task);
      }
    }
    return nanos;
  }

  private static long drainNanos(Path task) {
    try {
      return AgentThread.isComm(Files.readString(task.resolve("comm")))
          ? Long.parseLong(Files.readString(task.resolve("schedstat")).split(" ")[0])
          : 0;
    } catch (IOException e) {
      return 0; // it has ended
    }
  }

  private static String engine() throws IOException {
    return Sampling.hasTimers() ? "timer" : Sampling.hasPerfEvents() ? "perf events" : "none";
  }

  /** Of perf events. */
  private static int descriptors() throws IOException {
    int count = 0;
    try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path file : open) {
        count += isPerfEvent(file) ? 1 : 0;
      }
    }
    return count;
  }

  private static boolean isPerfEvent(Path file) {
    try {
      return Files.readSymbolicLink(file).toString().contains("perf_event");
    } catch (IOException e) {
      return false; // it was that of the directory
    }
  }

  private static long ringBytes() throws IOException {
    long bytes = 0;
    for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
      if (line.contains("[perf_event]")) {
        String[] ends = line.split(" ")[0].split("-");
        bytes += Long.parseUnsignedLong(ends[1], 16) - Long.parseUnsignedLong(ends[0], 16);
      }
    }
    return bytes;
  }
}
