package stackweave.lab.threads;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import stackweave.lab.Sampling;
import stackweave.samples.work.AgentThread;

/** Main class of the JVM that is measured. */
final class ManyThreadsJvm {
  private static final int BUSY = 4;
  private static final int SHORT_THREADS = 500;

  /** Threads that start others. */
  private static final int STARTERS = 4;

  /** Of the short threads of each at a time, so that not more are started than end. */
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
    startAndEnd(SHORT_THREADS);
    Thread.sleep(SETTLE_MILLIS);
    String engine = engine();
    String descriptors = "" + descriptors();
    String rings = String.format(Locale.ROOT, "%.0f", ringBytes() / 1048576.0);
    Share idle = new Share();
    Thread.sleep(1_000L * seconds);
    String alone = idle.percent();
    double each = startAndEnd(SHORT_THREADS);
    Share many = new Share();
    long reached = startMany(starts, seconds);
    System.out.println(
        String.join(
            "\t",
            List.of(
                engine,
                descriptors,
                rings,
                alone,
                String.format(Locale.ROOT, "%.0f", each),
                "" + reached,
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
   * Starts threads that do nothing, so many.
   *
   * @return how long each took, in µs
   */
  private static double startAndEnd(int count) throws InterruptedException {
    long began = System.nanoTime();
    for (int i = 0; i < count; i++) {
      Thread thread = new Thread(() -> {}, "short");
      thread.start();
      thread.join();
    }
    return (System.nanoTime() - began) / 1e3 / count;
  }

  /**
   * Starts threads that do nothing, so many a second at most.
   *
   * @return how many it were
   */
  private static long startMany(int second, int seconds) throws InterruptedException {
    LongAdder started = new LongAdder();
    List<Thread> starters = new ArrayList<>();
    long began = System.nanoTime();
    long end = began + 1_000_000_000L * seconds;
    for (int i = 0; i < STARTERS; i++) {
      Thread starter = new Thread(() -> startUntil(end, second / STARTERS, started), "starter");
      starter.start();
      starters.add(starter);
    }
    for (Thread starter : starters) {
      starter.join();
    }
    return Math.round(started.sum() * 1e9 / (System.nanoTime() - began));
  }

  private static void startUntil(long end, int second, LongAdder started) {
    Semaphore places = new Semaphore(AT_A_TIME);
    long began = System.nanoTime();
    for (long i = 0; System.nanoTime() < end; i++) {
      places.acquireUninterruptibly();
      start(places::release, "short");
      started.increment();
      long early = began + 1_000_000_000L * i / second - System.nanoTime();
      if (early > MILLI) {
        LockSupport.parkNanos(early);
      }
    }
    places.acquireUninterruptibly(AT_A_TIME);
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
