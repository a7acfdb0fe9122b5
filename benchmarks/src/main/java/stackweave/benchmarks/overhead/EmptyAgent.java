package stackweave.benchmarks.overhead;

import java.lang.instrument.Instrumentation;

/** What any {@code -javaagent} costs. */
public final class EmptyAgent {
  private EmptyAgent() {}

  public static void premain(String options, Instrumentation instrumentation) {}
}
