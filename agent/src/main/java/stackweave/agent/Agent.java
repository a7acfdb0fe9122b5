package stackweave.agent;

import java.lang.instrument.Instrumentation;
import java.util.Locale;
import stackweave.agent.drain.Messages;
import stackweave.agent.drain.Sampler;
import stackweave.jfr.control.SamplingControl;
import stackweave.jfr.control.SamplingRequest;

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
    Options parsed;
    try {
      parsed = Options.parse(options);
    } catch (InvalidOptionException e) {
      say(e.getMessage());
      return;
    }
    if (ModuleLayer.boot().findModule("jdk.jfr").isEmpty()) {
      say("this JVM runs without JDK Flight Recorder (module jdk.jfr), where samples would go");
      return;
    }
    watchRecordings(parsed, instrumentation);
  }

  /** Nothing but a listener: all else waits for a recording that asks for samples. */
  private static void watchRecordings(Options options, Instrumentation instrumentation) {
    new SamplingControl(
            options.explicit(),
            options.intervalNanos() == Options.AS_RECORDED
                ? SamplingRequest.DEFAULT_INTERVAL_NANOS
                : options.intervalNanos(),
            options.engine() == Options.Engine.AUTO
                ? SamplingRequest.DEFAULT_ENGINE
                : options.engine().name().toLowerCase(Locale.ROOT),
            options.depth() == Options.AS_RECORDED
                ? SamplingRequest.DEFAULT_DEPTH
                : options.depth(),
            new Sampler(instrumentation, options.recordFailures(), new Messages()))
        .start();
  }

  private static void say(String message) {
    System.err.println("stackweave: " + message + ": the application runs without sampling");
  }
}
