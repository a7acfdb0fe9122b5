package stackweave.lab.overhead;

import java.lang.instrument.Instrumentation;

/** An agent that does nothing, to measure what any {@code -javaagent} costs. */
public final class EmptyAgent {
  private EmptyAgent() {}

  public static void premain(String options, Instrumentation instrumentation) {}
}
