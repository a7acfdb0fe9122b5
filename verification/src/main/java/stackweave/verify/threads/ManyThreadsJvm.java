package stackweave.verify.threads;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import stackweave.samples.work.AgentThread;
import stackweave.verify.CpuTime;

/** Main class of the JVM that is measured: starts more and more threads that do nothing. */
final class ManyThreadsJvm {
  /** What the kernel has for an event of one thread on one CPU at least. */
  private static final long EVENT_BYTES = 1_352;

  private static final int SHORT_THREADS = 100;
  private static final long SETTLE_MILLIS = 1_000;
  private static final long READING_MILLIS = 5_000;
  private static final long START_MILLIS = 120_000;

  private static Path drain;
  private static int[] events = {};

  private ManyThreadsJvm() {}

  /** Arguments: the file of counts or "-", the most threads, the most MiB, the number of CPUs. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path counts = arguments[0].equals("-") ? null : Path.of(arguments[0]);
    long mostMebibytes = Long.parseLong(arguments[2]);
    int cpus = Integer.parseInt(arguments[3]);
    startAndEnd(3 * SHORT_THREADS);
    long memory = kernelBytes();
    if (counts == null) {
      events = IdleEvents.open(cpus);
    } else {
      awaitEngine();
    }
    Thread.sleep(2 * SETTLE_MILLIS);
    drain = findDrain();
    int threads = 0;
    for (int next = 10; next <= Integer.parseInt(arguments[1]); next *= 10) {
      if (counts == null && (long) next * cpus * EVENT_BYTES >> 20 > mostMebibytes) {
        System.out.println(next + ",not tried (more than " + mostMebibytes + " MiB),,,");
        continue;
      }
      String failure = "";
      try {
        for (; threads < next; threads++) {
          Thread thread = new Thread(LockSupport::park, "idle");
          thread.setDaemon(true);
          thread.start();
        }
      } catch (OutOfMemoryError e) {
        failure = " (no more than " + threads + " threads could be started)";
      }
      Thread.sleep(SETTLE_MILLIS);
      long held = (kernelBytes() - memory) >> 20;
      double reading = counts == null ? readEvents() / 1e6 : readingMillis(counts);
      double each = startAndEnd(SHORT_THREADS);
      System.out.println(
          String.format(
              Locale.ROOT,
              "%d%s,%s,%d,%.0f,%s",
              next,
              failure,
              counts == null ? "events alone" : engine(),
              held,
              each,
              String.format(
                  Locale.ROOT, counts == null ? "%.2f each time" : "%.2f a second", reading)));
    }
    System.exit(0);
  }

  private static void awaitEngine() throws IOException, InterruptedException {
    long began = System.nanoTime();
    while (engine().equals("-")) {
      if (System.nanoTime() - began > START_MILLIS * 1_000_000) {
        throw new IllegalStateException("nothing is sampled");
      }
      Thread.sleep(100);
    }
  }

  /** CPU time in ns that it takes to read the counts of all events once. */
  private static long readEvents() {
    long before = CpuTime.ofThread();
    IdleEvents.readAll(events);
    return CpuTime.ofThread() - before;
  }

  /** CPU time of a thread that does nothing, in µs, the agent's own left out. */
  private static double startAndEnd(int count) throws IOException, InterruptedException {
    long before = cpuNanos();
    for (int i = 0; i < count; i++) {
      Thread thread = new Thread(() -> {}, "short");
      thread.start();
      thread.join();
    }
    Thread.sleep(50); // joined threads have yet to be freed by the kernel
    return (cpuNanos() - before) / 1e3 / count;
  }

  private static long cpuNanos() throws IOException {
    return CpuTime.ofProcess() - drainNanos();
  }

  /** Of the agent's drain thread; 0 where there is none. */
  private static long drainNanos() throws IOException {
    return drain == null ? 0 : Long.parseLong(Files.readString(drain).split(" ")[0]);
  }

  /** The file that has the CPU time of the agent's drain thread, or null. */
  private static Path findDrain() throws IOException {
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      for (Path task : tasks) {
        if (AgentThread.isComm(comm(task))) {
          return task.resolve("schedstat");
        }
      }
    }
    return null;
  }

  private static String comm(Path task) {
    try {
      return Files.readString(task.resolve("comm"));
    } catch (IOException e) {
      return ""; // it has ended
    }
  }

  /**
   * Which engine samples: perf is known by its descriptors, the timer engine by a sealed memory
   * file.
   */
  private static String engine() throws IOException {
    try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path file : open) {
        if (link(file).contains("perf_event")) {
          return "perf";
        }
      }
    }
    return Files.readString(Path.of("/proc/self/maps")).contains("memfd:stackweave-handler")
        ? "timer"
        : "-";
  }

  private static String link(Path file) {
    try {
      return Files.readSymbolicLink(file).toString();
    } catch (IOException e) {
      return ""; // it was that of the directory
    }
  }

  private static double readingMillis(Path counts) throws IOException, InterruptedException {
    long before = readingNanos(counts);
    Thread.sleep(READING_MILLIS);
    return (readingNanos(counts) - before) / 1e6 / (READING_MILLIS / 1e3);
  }

  private static long readingNanos(Path counts) throws IOException {
    return ByteBuffer.wrap(Files.readAllBytes(counts)).order(ByteOrder.nativeOrder()).getLong(8);
  }

  /** Memory of the kernel for perf events, of the whole machine, in whole slabs. */
  private static long kernelBytes() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/slabinfo"))) {
      String[] columns = line.split(" +");
      if (columns[0].equals("perf_event")) {
        // name, active, objects, object's bytes, per slab, pages per slab, …, slabdata, active,
        // slabs
        return Long.parseLong(columns[14]) * Long.parseLong(columns[5]) * pageBytes();
      }
    }
    throw new IOException("/proc/slabinfo has no perf_event");
  }

  private static long pageBytes() throws IOException {
    try (BufferedReader lines = Files.newBufferedReader(Path.of("/proc/self/smaps"))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("KernelPageSize:")) {
          return 1024 * Long.parseLong(line.split("\\s+")[1]);
        }
      }
    }
    throw new IOException("/proc/self/smaps has no KernelPageSize");
  }
}
