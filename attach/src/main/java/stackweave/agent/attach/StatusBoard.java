package stackweave.agent.attach;

import java.lang.instrument.Instrumentation;
import java.util.ArrayDeque;
import java.util.Properties;

/**
 * The VM's agent properties: a tool can read them through an attach, which loads nothing and needs
 * no thread of ours, and the application never sees them. Thread-safe.
 */
public final class StatusBoard {
  private static final String STATUS = "stackweave.status";
  private static final String VERSION = "stackweave.version";

  /** The agent came for recordings of the command line, and leaves with the last of them. */
  private static final String TEMPORARY = "stackweave.temporary";

  /** The agent was here and was taken out, be it one of -javaagent. */
  private static final String DETACHED = "stackweave.detached";

  /** What is followed by an order's ticket. */
  private static final String REPLY = "stackweave.reply.";

  /** What is followed by a recording's name. */
  private static final String RECORD = "stackweave.record.";

  private static final String YES = "true";

  /** Replies and ended recordings that stay to be read by who is waiting for them. */
  private static final int KEPT = 32;

  /** The names of those, oldest first. Guarded by itself. */
  private static final ArrayDeque<String> PASSING = new ArrayDeque<>();

  private final Instrumentation instrumentation;
  private Properties properties;

  /** Touches nothing yet. */
  public StatusBoard(Instrumentation instrumentation) {
    this.instrumentation = instrumentation;
  }

  /** Shows that an agent of this version is at work, and how it fares. */
  public synchronized void show(String version, String status) {
    set(DETACHED, null);
    set(VERSION, version);
    set(STATUS, status);
  }

  /** Shows whether the agent leaves with the last recording of the command line. */
  public synchronized void showTemporary(boolean temporary) {
    set(TEMPORARY, temporary ? YES : null);
  }

  /** Shows that no agent is at work any more. */
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

  /** Shows how a recording of the command line is served; once it has ended, for the last time. */
  public synchronized void serve(String recording, Serving serving) {
    if (serving.stage() != Serving.Stage.ENDED && hasEnded(recording)) {
      return; // who was about to say so comes late
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

  /** What {@link #show} showed in a JVM's agent properties, or null. */
  public static String status(Properties agentProperties) {
    return agentProperties.getProperty(STATUS);
  }

  /** The version of the agent at work there that has shown itself, or null. */
  public static String version(Properties agentProperties) {
    return agentProperties.getProperty(VERSION);
  }

  /** Whether the agent there leaves with the last recording of the command line. */
  public static boolean isTemporary(Properties agentProperties) {
    return YES.equals(agentProperties.getProperty(TEMPORARY));
  }

  /** Whether an agent was there and was taken out, be it one of -javaagent. */
  public static boolean isDetached(Properties agentProperties) {
    return YES.equals(agentProperties.getProperty(DETACHED));
  }

  /** The reply to the order with this ticket in a JVM's agent properties, or null. */
  public static Reply reply(String ticket, Properties agentProperties) {
    String[] parts = agentProperties.getProperty(REPLY + ticket, "").split(":", 2);
    return parts.length < 2 ? null : new Reply(YES.equals(parts[0]), parts[1]);
  }

  /** How a recording of the command line is served there; null if the agent doesn't know it. */
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
      // A JDK that keeps them elsewhere: the command line says that nobody answers.
      properties = new Properties();
    }
    if (value == null) {
      properties.remove(name);
    } else {
      properties.setProperty(name, value);
    }
  }
}
