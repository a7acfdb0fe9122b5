package stackweave.agent.attach;

import java.lang.instrument.Instrumentation;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/**
 * The VM's agent properties: a tool can read them through an attach, which loads nothing and needs
 * no thread of ours, and the application never sees them. Thread-safe.
 */
public final class StatusBoard {
  private static final String STATUS = "stackweave.status";
  private static final String VERSION = "stackweave.version";
  private static final String REPLY = "stackweave.reply";

  private final Instrumentation instrumentation;
  private Properties properties;

  /** Touches nothing yet. */
  public StatusBoard(Instrumentation instrumentation) {
    this.instrumentation = instrumentation;
  }

  /** Shows that an agent of this version is at work, and how it fares. */
  public synchronized void show(String version, String status) {
    set(VERSION, version);
    set(STATUS, status);
  }

  /** Shows that no agent is at work. */
  public synchronized void clear() {
    set(VERSION, null);
    set(STATUS, null);
  }

  /** Answers the order with this ticket. */
  public synchronized void reply(String ticket, Reply reply) {
    set(REPLY, ticket + ":" + reply.outcome().name() + ":" + reply.text());
  }

  /** What {@link #show} showed in a JVM's agent properties, or null. */
  public static String status(Properties agentProperties) {
    return agentProperties.getProperty(STATUS);
  }

  /** The reply to the order with this ticket in a JVM's agent properties, or null. */
  public static Reply reply(String ticket, Properties agentProperties) {
    String[] parts = agentProperties.getProperty(REPLY, "").split(":", 3);
    if (parts.length != 3 || !parts[0].equals(ticket)) {
      return null;
    }
    boolean done = parts[1].equals(Reply.Outcome.DONE.name());
    return new Reply(done ? Reply.Outcome.DONE : Reply.Outcome.FAILED, parts[2]);
  }

  private void set(String name, String value) {
    try {
      if (properties == null) {
        properties = agentProperties(instrumentation);
      }
    } catch (ReflectiveOperationException | LinkageError e) {
      // A JDK that keeps them elsewhere: the command line says that nobody answers.
      properties = new Properties();
    }
    if (value == null) {
      properties.remove(name);
    } else {
      properties.setProperty(name, value);
    }
  }

  /** {@code jdk.internal.vm.VMSupport.getAgentProperties}, as in JDK 17 to 25. */
  private static Properties agentProperties(Instrumentation instrumentation)
      throws ReflectiveOperationException {
    instrumentation.redefineModule(
        Object.class.getModule(),
        Set.of(),
        Map.of("jdk.internal.vm", Set.of(StatusBoard.class.getModule())),
        Map.of(),
        Set.of(),
        Map.of());
    return (Properties)
        Class.forName("jdk.internal.vm.VMSupport").getMethod("getAgentProperties").invoke(null);
  }
}
