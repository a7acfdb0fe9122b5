package stackweave.agent.attach;

import java.lang.instrument.Instrumentation;
import java.util.ArrayDeque;
import java.util.Properties;

/**
 * The VM's agent properties: tools read them through an attach, for which the agent needs no class
 * and no thread, and the application does not see them. Thread-safe.
 */
public final class StatusBoard {
  private static final String STATUS = "stackweave.status";
  private static final String VERSION = "stackweave.version";

  /**
   * Set while the agent is attached for recordings of the command line, and leaves with the last.
   */
  private static final String TEMPORARY = "stackweave.temporary";

  /** Set if an agent, also one of -javaagent, was detached. */
  private static final String DETACHED = "stackweave.detached";

  /** Prefix of a key; an order's ticket follows. */
  private static final String REPLY = "stackweave.reply.";

  /** Prefix of a key; a recording's name follows. */
  private static final String RECORD = "stackweave.record.";

  private static final String YES = "true";

  /** The number of replies and ended recordings that are kept for those who wait for them. */
  private static final int KEPT = 32;

  /** The keys of these, oldest first. Guarded by itself. */
  private static final ArrayDeque<String> PASSING = new ArrayDeque<>();

  private final Instrumentation instrumentation;
  private Properties properties;

  /** Shows nothing to anybody. */
  public static final StatusBoard NONE = new StatusBoard(null, new Properties());

  /** Changes nothing yet. */
  public StatusBoard(Instrumentation instrumentation) {
    this(instrumentation, null);
  }

  private StatusBoard(Instrumentation instrumentation, Properties properties) {
    this.instrumentation = instrumentation;
    this.properties = properties;
  }

  /** Shows that an agent of this version is running, and its status. */
  public synchronized void show(String version, String status) {
    set(DETACHED, null);
    set(VERSION, version);
    set(STATUS, status);
  }

  /** Shows whether the agent leaves with the last recording of the command line. */
  public synchronized void showTemporary(boolean temporary) {
    set(TEMPORARY, temporary ? YES : null);
  }

  /** Shows that no agent is running any more. */
  public synchronized void clear() {
    set(DETACHED, YES);
    set(VERSION, null);
    set(STATUS, null);
    set(TEMPORARY, null);
  }

  /** Answers the order with this ticket. */
  public synchronized void reply(String ticket, Reply reply) {
    set(REPLY + ticket, reply.isDone() + ":" + reply.text());
    keepFew(REPLY + ticket);
  }

  /** Shows how far a recording of the command line is; after its end, for the last time. */
  public synchronized void serve(String recording, Serving serving) {
    if (serving.stage() != Serving.Stage.ENDED && hasEnded(recording)) {
      return; // the end was already shown
    }
    set(RECORD + recording, serving.stage().name() + ":" + serving.report());
    if (serving.stage() == Serving.Stage.ENDED) {
      keepFew(RECORD + recording);
    }
  }

  private boolean hasEnded(String recording) {
    String shown = properties == null ? null : properties.getProperty(RECORD + recording);
    return shown != null && shown.startsWith(Serving.Stage.ENDED.name());
  }

  private void keepFew(String name) {
    synchronized (PASSING) {
      PASSING.add(name);
      if (PASSING.size() > KEPT) {
        set(PASSING.remove(), null);
      }
    }
  }

  /** The status that {@link #show} showed in a JVM's agent properties, or null. */
  public static String status(Properties agentProperties) {
    return agentProperties.getProperty(STATUS);
  }

  /** The version of the agent that runs there and has shown itself, or null. */
  public static String version(Properties agentProperties) {
    return agentProperties.getProperty(VERSION);
  }

  /** Whether the agent there leaves with the last recording of the command line. */
  public static boolean isTemporary(Properties agentProperties) {
    return YES.equals(agentProperties.getProperty(TEMPORARY));
  }

  /** Whether an agent, also one of -javaagent, was detached there. */
  public static boolean isDetached(Properties agentProperties) {
    return YES.equals(agentProperties.getProperty(DETACHED));
  }

  /** The reply to the order with this ticket in a JVM's agent properties, or null. */
  public static Reply reply(String ticket, Properties agentProperties) {
    String[] parts = agentProperties.getProperty(REPLY + ticket, "").split(":", 2);
    return parts.length < 2 ? null : new Reply(YES.equals(parts[0]), parts[1]);
  }

  /** How far a recording of the command line is there; null if the agent doesn't know it. */
  public static Serving serving(String recording, Properties agentProperties) {
    String[] parts = agentProperties.getProperty(RECORD + recording, "").split(":", 2);
    return parts.length < 2 ? null : new Serving(Serving.Stage.valueOf(parts[0]), parts[1]);
  }

  private void set(String name, String value) {
    try {
      if (properties == null) {
        properties = JvmProperties.ofAgents(instrumentation);
      }
    } catch (ReflectiveOperationException | LinkageError e) {
      // This JDK keeps them elsewhere: the command line reports that no agent answers.
      properties = new Properties();
    }
    if (value == null) {
      properties.remove(name);
    } else {
      properties.setProperty(name, value);
    }
  }
}
