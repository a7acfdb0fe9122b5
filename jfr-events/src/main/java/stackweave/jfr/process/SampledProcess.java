package stackweave.jfr.process;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.StringTokenizer;

/**
 * The process that is sampled: this one, or another one from outside. Whoever reads a process's
 * memory, files in /proc, threads or clocks is told by this which one.
 *
 * <p>Reads from /proc what {@link ProcessHandle} says: the first use of ProcessHandle takes 10 ms
 * of CPU time, for a pool of threads that wait for child processes. Uses no native calls of the
 * agent's, so that it serves before these are possible. Immutable.
 */
public final class SampledProcess {
  /** This process. */
  public static final SampledProcess OWN = new SampledProcess(0, "/proc/self", -1, "");

  /** The CPU time if it can't be read: no /proc, or no file descriptor left. */
  public static final long UNKNOWN = -1;

  /** USER_HZ is 100 in the kernel's interface of every supported processor. */
  private static final long MILLIS_PER_TICK = 10;

  // Indices among the fields of stat that follow the name (proc_pid_stat(5)).
  private static final int UTIME = 11;
  private static final int STARTTIME = 19;
  private static final int STARTCODE = 23;
  private static final int STARTSTACK = 25;
  private static final int ARG_START = 45;

  private final int id;
  private final String directory;
  private final int memory;

  /** As it was when this was made; empty for the own process. */
  private final String image;

  private SampledProcess(int id, String directory, int memory, String image) {
    this.id = id;
    this.directory = directory;
    this.memory = memory;
    this.image = image;
  }

  /**
   * Another process, by a directory that is no other process's if its id is used again.
   *
   * @param pid its id in the namespace of this process
   * @param directory the path of an open descriptor of its directory in /proc; stays open as long
   *     as this is used
   */
  public static SampledProcess other(int pid, Path directory) {
    return new SampledProcess(pid, directory.toString(), -1, imageOf(directory));
  }

  /**
   * Another process, whose id nobody else uses meanwhile: a child that was not waited for.
   *
   * @param pid its id in the namespace of this process
   */
  public static SampledProcess other(int pid) {
    return other(pid, Path.of("/proc/" + pid));
  }

  /**
   * The same process, with its memory.
   *
   * @param descriptor of its file {@code mem}, which stays what it was when the process runs
   *     another program; open as long as the result is used
   */
  public SampledProcess withMemory(int descriptor) {
    return new SampledProcess(id, directory, descriptor, image);
  }

  /**
   * What a process executes, which another process and an exec change: when it started, and where
   * its code, stack and arguments do.
   *
   * @param directory of it in /proc
   * @return empty if it has ended or is about to
   */
  public static String imageOf(Path directory) {
    try {
      String[] fields = fields(stat(directory + "/stat"));
      if (fields[STARTCODE].equals("0")) {
        return ""; // it has no memory any more
      }
      return fields[STARTTIME]
          + ' '
          + fields[STARTCODE]
          + ' '
          + fields[STARTSTACK]
          + ' '
          + fields[ARG_START];
    } catch (IOException | ArrayIndexOutOfBoundsException e) {
      return "";
    }
  }

  /**
   * Whether it executes what it did when this was made. The memory of a program that it no longer
   * executes may live on in a child that shares it (CLONE_VM).
   */
  public boolean isSameProgram() {
    return isOwn() || !image.isEmpty() && image.equals(imageOf(directory()));
  }

  /** Whether it executes another program than when this was made, and has not ended. */
  public boolean runsAnother() {
    // In this order: a process that ends loses its memory, too.
    return !isSameProgram() && hasMemory();
  }

  /** The open descriptor of its memory; −1 if its memory has to be opened by its path. */
  public int memory() {
    return memory;
  }

  /** Whether it is this process. */
  public boolean isOwn() {
    return id == 0;
  }

  /** Its id as this process sees it. */
  public int pid() {
    return isOwn() ? (int) innermostPid() : id;
  }

  /** Its id in its own PID namespace. */
  public long innermostPid() {
    try {
      // From the namespace of /proc, which may be another one, to the innermost.
      long[] ids = status("NSpid");
      return ids[ids.length - 1];
    } catch (IOException | RuntimeException e) {
      return isOwn() ? ProcessHandle.current().pid() : id;
    }
  }

  /**
   * The numbers of a line of its file {@code status}, such as {@code Uid}.
   *
   * @throws IOException if it has ended, or has no such line
   */
  public long[] status(String key) throws IOException {
    return numbers("status", key);
  }

  /** As {@link #status}, of one of its threads. */
  public long[] statusOfThread(int tid, String key) throws IOException {
    return numbers("task/" + tid + "/status", key);
  }

  private long[] numbers(String status, String key) throws IOException {
    // Not by a pattern: to compile it takes a millisecond, and the first sample waits.
    StringTokenizer words = new StringTokenizer(lineOf(file(status), key + ":"));
    long[] numbers = new long[words.countTokens()];
    try {
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] = Long.parseLong(words.nextToken());
      }
    } catch (NumberFormatException e) {
      throw new IOException(file(status) + " has no numbers in line " + key, e);
    }
    return numbers;
  }

  /** Whether it has memory: it has neither ended nor is about to. */
  public boolean hasMemory() {
    try (InputStream in = new FileInputStream(file("statm"))) {
      int first = in.read();
      return first > '0' && first <= '9';
    } catch (IOException e) {
      return false;
    }
  }

  /** Its directory in /proc. */
  public Path directory() {
    return Path.of(directory);
  }

  /** The path of one of its files in /proc, such as {@code mem} or {@code task/12/comm}. */
  public String file(String name) {
    return directory + "/" + name;
  }

  /** When it started, in ms since 1970, in the kernel's units of 10 ms; 0 if unknown. */
  public long startMillis() {
    try {
      long bootMillis = 1_000 * Long.parseLong(lineOf("/proc/stat", "btime "));
      return bootMillis + Long.parseLong(fields(stat(file("stat")))[STARTTIME]) * MILLIS_PER_TICK;
    } catch (IOException | RuntimeException e) {
      return isOwn()
          ? ProcessHandle.current().info().startInstant().map(Instant::toEpochMilli).orElse(0L)
          : 0;
    }
  }

  /**
   * CPU time of all threads since the process began, including those that have ended; up to 20 ms
   * less; in ns, or {@link #UNKNOWN}. Loads no class that a JVM hasn't loaded, and never waits. Any
   * thread.
   */
  public long cpuNanos() {
    try {
      return cpuNanos(stat(file("stat")));
    } catch (IOException e) {
      return UNKNOWN;
    }
  }

  /** Parses the content of stat, of which the last field may be cut. */
  static long cpuNanos(String stat) {
    String[] fields = fields(stat);
    if (fields.length <= UTIME + 2) {
      return UNKNOWN;
    }
    long ticks = Long.parseLong(fields[UTIME]) + Long.parseLong(fields[UTIME + 1]);
    return ticks * MILLIS_PER_TICK * 1_000_000L;
  }

  /** What follows on the line that begins with {@code key}. */
  private static String lineOf(String file, String key) throws IOException {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(new FileInputStream(file), StandardCharsets.ISO_8859_1))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(key)) {
          return line.substring(key.length());
        }
      }
    }
    throw new IOException(file + " has no line " + key);
  }

  private static String stat(String file) throws IOException {
    // Not by java.nio, whose buffers count against -XX:MaxDirectMemorySize.
    try (InputStream in = new FileInputStream(file)) {
      return new String(in.readNBytes(1_024), StandardCharsets.ISO_8859_1);
    }
  }

  /** The fields behind the name, which may contain any character. */
  private static String[] fields(String stat) {
    return stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
  }
}
