package stackweave.live.harm;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import stackweave.lab.Kibibytes;
import stackweave.samples.work.AgentThread;

/**
 * The resources that the process uses at a moment.
 *
 * @param nanos when, by System.nanoTime
 * @param drainNanos CPU time of the agent's thread, in ns; 0 where there is none
 * @param heapBytes of the Java heap, of what is still in use
 * @param residentBytes memory of the process
 * @param fds open file descriptors
 */
record Vitals(long nanos, long drainNanos, long heapBytes, long residentBytes, int fds) {
  static Vitals now() throws IOException {
    long time = System.nanoTime();
    long drain = AgentThread.cpuNanos();
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    long heap = runtime.totalMemory() - runtime.freeMemory();
    return new Vitals(time, drain, heap, resident(), count(Path.of("/proc/self/fd")));
  }

  /** From where the kernel says it in kB: how large its pages are differs. */
  private static long resident() throws IOException {
    return 1024 * Kibibytes.in(Path.of("/proc/self/status"), "VmRSS:");
  }

  /** A text for people, which a test parses. */
  String since(Vitals before) {
    double seconds = (nanos - before.nanos) / 1e9;
    double drain = (drainNanos - before.drainNanos) / 1e9;
    return String.format(
        Locale.ROOT,
        "%.2f s; drain thread %.3f s = %.1f %%; heap %d KiB; resident %d KiB; fds %d",
        seconds,
        drain,
        100 * drain / seconds,
        heapBytes / 1024,
        residentBytes / 1024,
        fds);
  }

  static void line(String name, String text) {
    System.out.println("STORM " + name + ": " + text);
  }

  private static int count(Path directory) throws IOException {
    int count = 0;
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        count += entry.getFileName() == null ? 0 : 1;
      }
    }
    return count - 1; // the listing's own
  }
}
