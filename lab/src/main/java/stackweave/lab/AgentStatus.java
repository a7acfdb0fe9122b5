package stackweave.lab;

import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stackweave.samples.work.AgentThread;

/**
 * What the little programs know of the agent in their JVM: the text that its command {@code status}
 * prints. Needs {@code --add-exports java.base/jdk.internal.vm=ALL-UNNAMED}.
 */
public final class AgentStatus {
  private static final long POLL_MILLIS = 5;
  private static final Pattern TAKEN = Pattern.compile("samples: (\\d+) taken");

  /** A little longer than the time between two of the agent's statuses. */
  private static final long PUBLISH_MILLIS = 1_200;

  /** Some figures never rest: the JVM itself goes on switching threads. */
  private static final int MAX_PUBLISHED = 5;

  /** Where many threads want to run the agent's has a small part of a CPU. */
  private static final long PATIENCE_NANOS = 120_000_000_000L;

  private AgentStatus() {}

  /** Waits for a condition, two minutes at most. */
  public static void await(Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (!condition.call()) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException("not in time; the agent's status: " + status());
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  /** Waits until a line of the status does not change any more, or has had time enough. */
  public static void awaitRest(String line) throws Exception {
    await(() -> !line(line).isEmpty());
    String before = "";
    for (int i = 0; i < MAX_PUBLISHED && !line(line).equals(before); i++) {
      before = line(line);
      Thread.sleep(PUBLISH_MILLIS);
    }
  }

  /**
   * Waits until it has taken more samples than {@code before}, by this engine; the status is
   * published each second.
   */
  public static void awaitSamples(long before, String engine) throws Exception {
    await(() -> samples() > before && status().contains("engine: " + engine + "\n"));
  }

  /** Waits until it does not sample any more. */
  public static void awaitDormant() throws Exception {
    await(() -> !AgentThread.isThere());
  }

  /** How many samples were taken since the agent's start. */
  public static long samples() throws Exception {
    Matcher taken = TAKEN.matcher(status());
    return taken.find() ? Long.parseLong(taken.group(1)) : 0;
  }

  /** Whether first touches of native memory come. */
  public static boolean hasMemory() throws Exception {
    return !line("native memory:").isEmpty();
  }

  /** Whether blocks of malloc are followed, or it is said why they are not. */
  public static boolean hasAllocations() throws Exception {
    return status().contains("native allocations");
  }

  private static String line(String beginning) throws Exception {
    return status().lines().filter(line -> line.startsWith(beginning)).findFirst().orElse("");
  }

  private static String status() throws Exception {
    Properties agent =
        (Properties)
            Class.forName("jdk.internal.vm.VMSupport").getMethod("getAgentProperties").invoke(null);
    return agent.getProperty("stackweave.status", "");
  }
}
