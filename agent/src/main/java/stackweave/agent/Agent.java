package stackweave.agent;

import java.lang.instrument.Instrumentation;

/** The agent's start inside its own class loader; {@code stackweave.agent.boot} calls it. */
public final class Agent {

  private Agent() {}

  /**
   * Starts the agent, or says in one line on stderr why it doesn't. Whatever is thrown becomes one
   * line there, too; the application starts in any case.
   *
   * @param options what stood after {@code =} in -javaagent, or null
   */
  public static void start(String options, Instrumentation instrumentation) {
    try {
      Options.parse(options);
    } catch (InvalidOptionException e) {
      say(e.getMessage());
      return;
    }
    if (ModuleLayer.boot().findModule("jdk.jfr").isEmpty()) {
      say("this JVM runs without JDK Flight Recorder (module jdk.jfr), where samples would go");
    }
  }

  private static void say(String message) {
    System.err.println("stackweave: " + message + ": the application runs without sampling");
  }
}
