package stackweave.lab.cold;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import stackweave.lab.Kibibytes;

/**
 * The CPU time of a process and of the agent's own thread in it, as the kernel accounts it, read
 * while the process runs.
 */
final class Watch {
  private static final long TICK_NANOS = 10_000_000;
  private static final long POLL_MILLIS = 100;

  /** What /proc/PID/task/TID/comm begins with. */
  private static final String DRAIN = "stackweave-drai";

  /** CPU time up to some moment, in ns. */
  record Times(long process, long drain) {
    Times minus(Times before) {
      return new Times(process - before.process, drain - before.drain);
    }
  }

  private final Path proc;
  private Path drain;
  private Times cold;
  private Times last = new Times(0, 0);
  private long pssKib;

  Watch(long pid) {
    this.proc = Path.of("/proc/" + pid);
  }

  /**
   * Looks until the process ends.
   *
   * @param coldNanos how long the application is cold, from now on
   * @param pssNanos when its memory is read
   */
  void follow(Process process, long coldNanos, long pssNanos) throws InterruptedException {
    long begin = System.nanoTime();
    while (process.isAlive()) {
      try {
        if (drain == null) {
          drain = drainThread();
        }
        last = new Times(processNanos(), drain == null ? 0 : drainNanos());
        if (pssKib == 0 && System.nanoTime() - begin > pssNanos) {
          pssKib = Kibibytes.in(proc.resolve("smaps_rollup"), "Pss:");
        }
      } catch (IOException | IndexOutOfBoundsException e) {
        // It, or the thread, is ending: what was read last holds.
      }
      if (cold == null && System.nanoTime() - begin > coldNanos) {
        cold = last;
      }
      Thread.sleep(POLL_MILLIS);
    }
    cold = cold == null ? last : cold;
  }

  Times cold() {
    return cold;
  }

  Times later() {
    return last.minus(cold);
  }

  long pssKib() {
    return pssKib;
  }

  private Path drainThread() throws IOException {
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(proc.resolve("task"))) {
      for (Path task : tasks) {
        if (Files.readString(task.resolve("comm")).startsWith(DRAIN)) {
          return task;
        }
      }
    }
    return null;
  }

  /** Its number; −1 while there is none. */
  long drainThreadId() {
    return drain == null ? -1 : Long.parseLong(drain.getFileName().toString());
  }

  private long drainNanos() throws IOException {
    return Long.parseLong(Files.readString(drain.resolve("schedstat")).split(" ")[0]);
  }

  private long processNanos() throws IOException {
    String stat = Files.readString(proc.resolve("stat"));
    String[] behindName = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return (Long.parseLong(behindName[11]) + Long.parseLong(behindName[12])) * TICK_NANOS;
  }
}
