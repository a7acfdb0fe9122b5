package stackweave.lab.overhead;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads what the agent in this JVM is doing, without the agent's classes. */
public final class AgentState {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final Pattern TAKEN = Pattern.compile("samples: (\\d+) taken");

  /** Its thread's name in Java. */
  private static final String DRAIN_THREAD = "stackweave-drain";

  /** What it shows of itself among the VM's agent properties. */
  private static final String STATUS = "stackweave.status";

  /** Where many threads want to run the agent's has a small part of a CPU. */
  private static final long PATIENCE_NANOS = 120_000_000_000L;

  private static final long POLL_MILLIS = 5;

  private AgentState() {}

  /**
   * Waits until the agent's status names more samples than {@code before}; it is updated each
   * second.
   */
  public static void awaitSamples(long before) throws InterruptedException {
    await("the agent takes no samples", () -> samples() > before);
  }

  /** Waits until it samples by an engine; fails if it samples by another. */
  public static void awaitEngine(String name) throws InterruptedException {
    await(
        "the agent does not sample by " + name, () -> status().contains("engine: " + name + "\n"));
  }

  public static void awaitDormant() throws InterruptedException {
    await("the agent does not end sampling", () -> drainThread() < 0);
  }

  /** The id of its thread, or −1 while there is none. */
  static long drainThread() {
    for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
      if (thread != null && thread.getThreadName().equals(DRAIN_THREAD)) {
        return thread.getThreadId();
      }
    }
    return -1;
  }

  /** How many samples it has taken since its start. */
  public static long samples() {
    Matcher taken = TAKEN.matcher(status());
    return taken.find() ? Long.parseLong(taken.group(1)) : 0;
  }

  /** The agent's status text. Needs {@code --add-exports java.base/jdk.internal.vm=ALL-UNNAMED}. */
  private static String status() {
    try {
      Object properties =
          Class.forName("jdk.internal.vm.VMSupport").getMethod("getAgentProperties").invoke(null);
      return ((Properties) properties).getProperty(STATUS, "");
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the agent's status can't be read", e);
    }
  }

  private interface Condition {
    boolean holds();
  }

  private static void await(String otherwise, Condition condition) throws InterruptedException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (!condition.holds()) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException(otherwise);
      }
      Thread.sleep(POLL_MILLIS);
    }
  }
}
