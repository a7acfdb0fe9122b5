package stackweave.verify.chaos.antagonist;

import java.lang.instrument.Instrumentation;

/** Another agent beside Stackweave: it keeps what it is given. */
public final class RedefiningAgent {
  private static volatile Instrumentation instrumentation;

  private RedefiningAgent() {}

  public static void premain(String arguments, Instrumentation given) {
    instrumentation = given;
  }

  static Instrumentation instrumentation() {
    return instrumentation;
  }
}
