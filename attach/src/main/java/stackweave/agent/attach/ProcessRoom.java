package stackweave.agent.attach;

import java.io.IOException;
import java.util.List;
import stackweave.maps.proc.PlainFiles;

/**
 * Whether the process's resource limits (setrlimit) leave room for sampling. The JVM aborts when it
 * gets no address space, or when JFR can't extend a file, so the agent must not use up either. Used
 * before sampling first begins; loads hardly a class.
 */
public final class ProcessRoom {
  /**
   * Address space in bytes that must be left: 300 MiB were needed, since a thread's heap of the C
   * library takes 64 MiB, and so does, twice, the ring of the timer engine on many CPUs.
   */
  static final long NEEDED_ADDRESSES = 512L << 20;

  /** Private memory in bytes that must be left: twice what is used. */
  static final long NEEDED_DATA = 128L << 20;

  /** The least that files may grow to, in bytes: several times a chunk of JFR's. */
  public static final long NEEDED_FILE = 64L << 20;

  private static final String ADDRESSES = "Max address space";
  private static final String DATA = "Max data size";
  private static final String FILE = "Max file size";
  private static final String LIMITS = "/proc/self/limits";
  private static final String STATUS = "/proc/self/status";
  private static final String USED_ADDRESSES = "VmSize:";
  private static final String USED_DATA = "VmData:";

  private ProcessRoom() {}

  private static boolean isMemoryLimited(List<String> limits) {
    return limit(limits, ADDRESSES) != Long.MAX_VALUE || limit(limits, DATA) != Long.MAX_VALUE;
  }

  /**
   * Why there is too little room, in one line; null if there is enough, or it is not known.
   *
   * @param shares 1 before sampling first begins; later, when most of what it needs is mapped, the
   *     part of that that must be left, as a divisor
   */
  public static String whyNot(int shares) {
    try {
      List<String> limits = PlainFiles.lines(LIMITS);
      List<String> status = isMemoryLimited(limits) ? PlainFiles.lines(STATUS) : List.of();
      return whyNot(limits, status, shares);
    } catch (IOException e) {
      return null;
    }
  }

  /**
   * As {@link #whyNot(int)}, from these files.
   *
   * @param limits the lines of /proc/self/limits
   * @param status those of /proc/self/status; none where memory is not limited
   */
  static String whyNot(List<String> limits, List<String> status, int shares) {
    long file = longestFile(limits);
    if (file < NEEDED_FILE) {
      return "files may grow to "
          + (file >> 10)
          + " KiB (ulimit -f), the JVM ends when JFR comes to that, and sampling needs "
          + (NEEDED_FILE >> 20)
          + " MiB";
    }
    String addresses =
        left("address space (ulimit -v)", limit(limits, ADDRESSES), status, USED_ADDRESSES, shares);
    if (addresses != null) {
      return addresses;
    }
    return left("private memory (ulimit -d)", limit(limits, DATA), status, USED_DATA, shares);
  }

  private static String left(String what, long limit, List<String> status, String key, int shares) {
    long needed = (key.equals(USED_DATA) ? NEEDED_DATA : NEEDED_ADDRESSES) / shares;
    long left = limit == Long.MAX_VALUE ? limit : Math.max(0, limit - used(status, key));
    return left >= needed
        ? null
        : "the limit of "
            + what
            + " leaves "
            + (left >> 20)
            + " MiB, and sampling needs "
            + (needed >> 20)
            + "; a higher one helps";
  }

  /**
   * What a process's files may grow to, in bytes; {@link Long#MAX_VALUE} if that is not limited.
   *
   * @param limits the lines of /proc/PID/limits
   */
  public static long longestFile(List<String> limits) {
    return limit(limits, FILE);
  }

  /** The soft limit, which is the one that counts: the first word behind the name. */
  private static long limit(List<String> limits, String name) {
    for (String line : limits) {
      if (line.startsWith(name)) {
        long bytes = number(line, name.length());
        return bytes < 0 ? Long.MAX_VALUE : bytes;
      }
    }
    return Long.MAX_VALUE;
  }

  /** The bytes in a line like {@code VmSize: 8452 kB}; 0 if there is none. */
  private static long used(List<String> status, String key) {
    for (String line : status) {
      if (line.startsWith(key)) {
        return Math.max(0, number(line, key.length())) << 10;
      }
    }
    return 0;
  }

  /** The number that follows; −1 for another word, such as "unlimited". */
  private static long number(String line, int from) {
    try {
      return Long.parseLong(line.substring(from).strip().split(" ", 2)[0]);
    } catch (NumberFormatException e) {
      return -1; // "unlimited", or above 2⁶³: as good as none
    }
  }
}
