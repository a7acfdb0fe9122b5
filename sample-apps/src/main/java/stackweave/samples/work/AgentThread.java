package stackweave.samples.work;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * The thread {@code stackweave-drain} of the agent in this process, as the kernel shows it. Without
 * java.nio, which takes direct memory.
 */
public final class AgentThread {
  private static final String TASKS = "/proc/self/task/";

  private AgentThread() {}

  /**
   * Whether this is its name in /proc/self/task/TID/comm, which has 15 bytes: the first up to JDK
   * 25; from 26 on the middle is taken out.
   */
  public static boolean isComm(String comm) {
    return comm.strip().matches("stackweave-drai|stackwe\\.\\.-drain");
  }

  /** Whether it is there. */
  public static boolean isThere() {
    return tid() != 0;
  }

  /** The kernel's id of it, or 0 while there is none. */
  public static int tid() {
    String[] tids = new File(TASKS).list();
    for (String tid : tids) {
      if (isComm(read(tid + "/comm"))) {
        return Integer.parseInt(tid);
      }
    }
    return 0;
  }

  /** Whether it is there and waits, for whatever. */
  public static boolean waits() {
    String stat = read(tid() + "/stat");
    return stat.startsWith(") S", Math.max(0, stat.lastIndexOf(')')));
  }

  /** CPU time that it has used, in ns; 0 while there is none. */
  public static long cpuNanos() {
    String schedstat = read(tid() + "/schedstat");
    return schedstat.isEmpty() ? 0 : Long.parseLong(schedstat.split(" ")[0]);
  }

  /** Empty where the thread has ended. */
  private static String read(String file) {
    try (InputStream in = new FileInputStream(TASKS + file)) {
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return "";
    }
  }
}
