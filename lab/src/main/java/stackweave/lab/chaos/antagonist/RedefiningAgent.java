package stackweave.lab.chaos.antagonist;

import java.lang.instrument.Instrumentation;

/** Another agent beside Stackweave: it keeps its Instrumentation for {@link Redefinitions}. */
public final class RedefiningAgent {
  private static volatile Instrumentation instrumentation;

  private RedefiningAgent() {}

  /** Called by the JVM before main(). */
  public static void premain(String arguments, Instrumentation given) {
    instrumentation = given;
  }

  static Instrumentation instrumentation() {
    return instrumentation;
  }
}
