package stackweave.agent.apps;

import java.lang.instrument.Instrumentation;

/** What any -javaagent costs and prints. */
public final class EmptyAgent {

  private EmptyAgent() {}

  public static void premain(String options, Instrumentation instrumentation) {}

  public static void agentmain(String options, Instrumentation instrumentation) {}
}
